"""``MatchService.Play``: one session a stream, with its queue and its followings."""
