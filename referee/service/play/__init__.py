"""``MatchService.Play``: one object a stream, with its queue and its followings."""
