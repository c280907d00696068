-- Raises each counter by as much of the amount as stays within its limit, in multiples of the unit, and dates every
-- counter that has no deadline.
-- KEYS  the counters; one may occur more than once.
-- ARGV  five per key: amount, unit, limit, deadline in epoch ms, total seen before (-1: not seen).
-- Reply three numbers per key: granted, total, state (0 well, 1 vanished, 2 no counter, 3 deadline has passed).
local call, try = redis.call, redis.pcall
local reply = {}

-- Clients read integers close to 2^53 wrongly by one; as texts they are safe.
local function exact(total)
  if total > 9007199254740000 then return string.format('%.0f', total) end
  return total
end

for i = 1, #KEYS do
  local key, at = KEYS[i], i * 5 - 4
  local amount, unit, limit, seen = tonumber(ARGV[at]), tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2]), tonumber(ARGV[at + 4])
  local granted, before, state = 0, 0, 0
  local exists = false

  if amount <= limit and (seen < 0 or seen + amount <= limit) then
    -- It will probably fit: raise first and correct in the same step if it did not.
    local total = try('INCRBY', key, ARGV[at])
    if type(total) == 'table' then
      if not (string.find(total.err, 'integer', 1, true) or string.find(total.err, 'WRONGTYPE', 1, true)
        or string.find(total.err, 'overflow', 1, true)) then
        return total
      end
      state = 2
    else
      before = total - amount
      exists = true
      if before < 0 then
        call('DECRBY', key, ARGV[at])
        state = 2
      elseif total <= limit then
        granted = amount
      else
        local room = limit - before
        if room >= unit then granted = room - room % unit end
        call('DECRBY', key, string.format('%.0f', amount - granted))
      end
    end
  else
    local held = try('GET', key)
    if type(held) == 'table' then
      state = 2
    elseif held then
      if string.find(held, '^%d+$') then
        before = tonumber(held)
        exists = true
      else
        state = 2
      end
    end
    local room = limit - before
    if state == 0 and room >= unit then
      granted = math.min(amount, room - room % unit)
      call('INCRBY', key, string.format('%.0f', granted))
      exists = true
    elseif state == 0 and not exists and seen > 0 then
      state = 1
    end
  end

  -- A total at or above the one that was seen belongs to a counter that was dated then, and nothing takes a deadline away.
  if exists and state == 0 and (seen < 0 or before == 0 or before < seen) and call('PTTL', key) == -1 then
    call('PEXPIREAT', key, ARGV[at + 3])
    if before == 0 and seen >= 0 then state = 1 end
    if call('EXISTS', key) == 0 then
      granted, before, state = 0, 0, 3
    end
  end

  if state == 2 then before = 0 end
  local n = #reply
  reply[n + 1], reply[n + 2], reply[n + 3] = exact(granted), exact(before + granted), state
end

return reply
