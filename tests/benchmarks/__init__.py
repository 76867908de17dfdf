"""Benchmarks: figures as ratios to orjson doing the least that could be done, measured in the same run."""
