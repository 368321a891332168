"""What every web-facing room shares: problems, paging, request ids, body limits, security headers."""
