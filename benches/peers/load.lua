-- What wrk sends. Without an argument: the request of its command line, again and again. With three: uploads, of which
-- each is the head with its length and one line of the file; then, the file being at its end, the idle request. With
-- three, the last of them a number: uploads without an end, of so many sensors in turns, made from the line of the file. A
-- fourth is when they begin, in seconds since 1970; with a fifth, so many are sent a second, if they are answered as fast, by
-- one thread.
--
--     wrk ... --script load.lua URL -- HEAD_FILE BODIES_FILE IDLE_PATH
--     wrk ... --script load.lua URL -- HEAD_FILE TEMPLATE_FILE SENSORS [BEGIN [RATE]]
--
-- The bodies of a file are made beforehand and read in order, by one thread: making them here would take time from the servers,
-- and uploads come in the order of time, but for those that are under way together.

local head, bodies, idle
local sensors, begin, made = nil, 1700000000, 0
-- The line of the file in parts, of which every other one is a field, the names of these, and what they are in the next upload.
local parts, fields, values = {}, {}, {}
local is_tried, is_announced = false, false

-- Called in the thread that sends.
function init(args)
   if #args == 0 then return end
   head = io.open(args[1]):read("*a")
   bodies = io.lines(args[2])
   sensors = tonumber(args[3])
   if sensors then
      local line, rest = bodies(), 1
      for text, field, place in line:gmatch("(.-){(%a+)}()") do
         table.insert(fields, field)
         parts[2 * #fields - 1] = text
         rest = place
      end
      parts[2 * #fields + 1] = line:sub(rest)
      begin = tonumber(args[4]) or begin
      if args[5] then pace(tonumber(args[5])) end
   else
      idle = wrk.format("GET", args[3])
   end
end

-- Each request has its time. wrk asks, when it could send, how many milliseconds to wait; one that is late goes at once.
function pace(rate)
   local ffi = require("ffi")
   ffi.cdef("typedef struct { long seconds, nanoseconds; } moment; int clock_gettime(int clock, moment *now);")
   local now, begun, sent = ffi.new("moment"), nil, 0
   function delay()
      ffi.C.clock_gettime(1, now)
      local at = tonumber(now.seconds) * 1e3 + tonumber(now.nanoseconds) / 1e6
      begun = begun or at
      sent = sent + 1
      return math.max(0, begun + sent * 1e3 / rate - at)
   end
end

-- The next upload of a fleet: each sensor every ten seconds, its register growing. wrk shares the machine with the server: what
-- takes long is done once a round.
local function make()
   local sensor, round = made % sensors, math.floor(made / sensors)
   made = made + 1
   if sensor == 0 then
      local seconds = begin + 10 * round
      values.seconds = string.format("%d", seconds)
      values.civil = os.date("!%Y-%m-%dT%H:%M:%S", seconds)
   end
   values.sensor = "sensor" .. sensor
   values.watts = 200 + made * 7919 % 1000
   values.watthours = 1000000 + round .. "." .. sensor % 10
   for number = 1, #fields do
      parts[2 * number] = values[fields[number]]
   end
   local body = table.concat(parts)
   return head .. #body .. "\r\n\r\n" .. body
end

function request()
   if not head then return wrk.request() end
   if sensors then return make() end
   if not is_tried then
      -- wrk looks at one request before it begins, and does not send it.
      is_tried = true
      return idle
   end
   local body = bodies and bodies()
   if body then
      return head .. #body .. "\r\n\r\n" .. body
   end
   bodies = nil
   if not is_announced then
      -- wrk ends with its time, not with its work; who started it waits for this line, and stops it.
      is_announced = true
      print("sent")
      io.stdout:flush()
   end
   return idle
end

-- Times in microseconds, from sending a request to the end of its answer.
function done(summary, latency)
   local errors = summary.errors
   print(string.format(
      '{"requests":%d,"microseconds":%d,"bytes":%d,"p50":%d,"p99":%d,"max":%d,"not_2xx":%d,"broken":%d}',
      summary.requests, summary.duration, summary.bytes, latency:percentile(50), latency:percentile(99), latency.max,
      errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
