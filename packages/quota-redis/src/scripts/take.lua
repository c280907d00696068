-- Raises each counter by as much of the amount as stays within its limit, in multiples of the unit, and dates every
-- counter that has no deadline.
-- KEYS  the counters; one may occur more than once.
-- ARGV  two lists of numbers in JSON, because reading arguments one by one would cost more than the increments.
--       Terms, three each: unit, limit, deadline in epoch ms.
--       Draws, three per key: number of its terms from 1, amount, total seen before (-1: not seen).
-- Reply one total per key when every draw was granted whole and is well; else three numbers per key: granted, total, state (0 well,
--       1 vanished, 2 no counter, 3 deadline has passed).
local call, try = redis.call, redis.pcall
local terms, draws = cjson.decode(ARGV[1]), cjson.decode(ARGV[2])
local totals, reply = {}, {}
local smooth = true

-- Clients read integers close to 2^53 wrongly by one; as texts they are safe.
local function exact(total)
  if total > 9007199254740000 then return string.format('%.0f', total) end
  return total
end

-- Redis writes large numbers as 1e+15 when it is left to itself; most amounts are the same.
local texts = {}
local function whole(number)
  local text = texts[number]
  if not text then
    text = string.format('%.0f', number)
    texts[number] = text
  end
  return text
end

for i = 1, #KEYS do
  local key, at = KEYS[i], i * 3
  local term, amount, seen = draws[at - 2] * 3, draws[at - 1], draws[at]
  local unit, limit = terms[term - 2], terms[term - 1]
  local granted, before, state = 0, 0, 0
  local exists = false

  if amount <= limit and (seen < 0 or seen + amount <= limit) then
    -- It will probably fit: raise first and correct in the same step if it did not.
    local total = try('INCRBY', key, whole(amount))
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
        call('DECRBY', key, whole(amount))
        state = 2
      elseif total <= limit then
        granted = amount
      else
        -- Asked anew: a total beyond 2^53 is read wrongly by one.
        before = call('DECRBY', key, whole(amount))
        local room = limit - before
        if room >= unit then
          granted = room - room % unit
          call('INCRBY', key, string.format('%.0f', granted))
        end
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
    call('PEXPIREAT', key, whole(terms[term]))
    if before == 0 and seen >= 0 then state = 1 end
    if call('EXISTS', key) == 0 then
      granted, before, state = 0, 0, 3
    end
  end

  if state == 2 then before = 0 end
  totals[i] = exact(before + granted)
  reply[at - 2], reply[at - 1], reply[at] = exact(granted), totals[i], state
  smooth = smooth and state == 0 and granted == amount
end

return smooth and totals or reply
