"""What the user of a run follows and steers: status record, event log, controls, and the webhook at its end."""
