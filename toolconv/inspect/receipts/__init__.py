"""The receipts of several runs: what each read and wrote, how they follow on each other, and what that proves."""
