"""One machine for races, papers and benchmarks: jobs, a ledger of finished runs, a pool."""
