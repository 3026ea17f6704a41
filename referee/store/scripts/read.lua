-- Reads one match, unless the caller has it already; and says what a request became.
--
-- KEYS[1] match (hash)   KEYS[2] events (list)   KEYS[3] requests (hash)
-- ARGV[1] version that the caller has, 0 for none
-- ARGV[2] request key, empty for none
-- ARGV[3] mark of the version that the caller has
--
-- Replies: {"missing"}
--          {"seen", fingerprint, event bytes}     the request was committed before
--          {"same"}                               the match is at the caller's version
--          {"match", head bytes, state bytes}
local at = redis.call('HMGET', KEYS[1], 'version', 'mark')
if not at[1] then
  return {'missing'}
end
if ARGV[2] ~= '' then
  local seen = redis.call('HGET', KEYS[3], ARGV[2])
  if seen then
    local version, fingerprint = string.match(seen, '^(%d+):(.*)$')
    return {'seen', fingerprint, redis.call('LINDEX', KEYS[2], tonumber(version) - 1)}
  end
end
if at[1] == ARGV[1] and (at[2] or '') == ARGV[3] then
  return {'same'}
end
local fields = redis.call('HMGET', KEYS[1], 'head', 'state')
return {'match', fields[1], fields[2]}
