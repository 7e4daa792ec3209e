"""What services that ask a language model share: the Messages API's answers and errors, and what calls cost."""
