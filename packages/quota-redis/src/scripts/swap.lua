-- Writes a value if the key holds the one expected.
-- KEYS  the key.
-- ARGV  1 if a value is expected and 0 if none, the value expected, the next value, deadline in epoch ms.
-- Reply 1 swapped, 0 not swapped, 2 the deadline has passed; then the value held if not swapped.
local call = redis.call
local key = KEYS[1]
local held = call('GET', key)
local expected = ARGV[1] == '1' and ARGV[2]
if held ~= expected then return { 0, held } end
call('SET', key, ARGV[3])
call('PEXPIREAT', key, ARGV[4])
if call('EXISTS', key) == 0 then return { 2, held } end
return { 1 }
