"""The decision service under load, beside a Vowpal Wabbit daemon: throughput, recovery, memory."""
