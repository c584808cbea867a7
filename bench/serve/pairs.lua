-- Requests by turns: a decision with a new id, and the feedback for one some decisions before, which
-- has been answered meanwhile. Arguments: file of contexts (JSON, one a line), prefix of ids, lag.
local contexts, prefix, lag = {}, "", 1
local n, is_checked, is_feedback = 0, false, false

function init(args)
  for line in io.lines(args[1]) do contexts[#contexts + 1] = line end
  prefix, lag = args[2], tonumber(args[3])
  wrk.method = "POST"
  wrk.headers["content-type"] = "application/json"
end

local function decide(id)
  local context = contexts[n % #contexts + 1]
  return wrk.format(nil, "/v1/bench/decide", nil,
    '{"event_id":"' .. id .. '","context":' .. context .. '}')
end

function request()
  if not is_checked then  -- wrk looks at the first request and does not send it
    is_checked = true
    return decide(prefix .. "unsent")
  end
  is_feedback = not is_feedback
  if is_feedback and n > lag then
    local id = n - lag
    return wrk.format(nil, "/v1/bench/feedback", nil,
      '{"event_id":"' .. prefix .. id .. '","reward":' .. id % 2 .. '}')
  end
  n = n + 1
  return decide(prefix .. n)
end

function done(summary, latency, requests)
  local e = summary.errors
  io.write(string.format(
    '\n{"requests": %d, "seconds": %.6f, "p50_ms": %.4f, "p99_ms": %.4f, "most_ms": %.4f, ' ..
    '"refused_or_failed": %d, "socket_errors": %d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3,
    latency:percentile(99) / 1e3, latency.max / 1e3, e.status,
    e.connect + e.read + e.write + e.timeout))
end
