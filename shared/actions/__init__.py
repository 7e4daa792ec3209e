"""What each action is: one row for each type, which every room reads (docs/adr/0033)."""
