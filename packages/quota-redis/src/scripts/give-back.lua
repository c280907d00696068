-- Lowers counters, never below zero, never creating one, and dates those without a deadline.
-- KEYS  the counters.
-- ARGV  two per key: amount, deadline in epoch ms.
-- Reply one number per key: the total; -1 absent, -2 no counter.
local call, try = redis.call, redis.pcall
local reply = {}

-- Clients read integers close to 2^53 wrongly by one; as texts they are safe.
local function exact(total)
  if total > 9007199254740000 then return string.format('%.0f', total) end
  return total
end

for i = 1, #KEYS do
  local key, at = KEYS[i], i * 2 - 1
  local held = try('GET', key)
  if type(held) == 'table' or (held and not string.find(held, '^%d+$')) then
    reply[i] = -2
  elseif not held then
    reply[i] = -1
  else
    local back = math.min(tonumber(held), tonumber(ARGV[at]))
    reply[i] = exact(tonumber(held) - back)
    if back > 0 then call('DECRBY', key, string.format('%.0f', back)) end
    if call('PTTL', key) == -1 then call('PEXPIREAT', key, ARGV[at + 1]) end
  end
end
return reply
