"""What requests, responses and answers say, by their words."""
