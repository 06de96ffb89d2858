-- Requests of many devices, for the benchmark `device-api`: the file and the path are arguments. Each thread has devices of its own.
local threads = 0

function setup(thread)
  thread:set("number", threads)
  threads = threads + 1
end

function init(arguments)
  requests, position = {}, 0
  local lines = 0
  for line in io.lines(arguments[1]) do
    if lines % tonumber(arguments[3]) == number then
      local ticket, body = line:match("^(.-)\t(.*)$")
      requests[#requests + 1] = wrk.format("POST", arguments[2], {["Authorization"] = "Bearer " .. ticket}, body)
    end
    lines = lines + 1
  end
end

function request()
  position = position % #requests + 1
  return requests[position]
end

function done(summary, latency)
  local errors = summary.errors
  print(string.format("RESULT %d %d %d %d %d", summary.requests, summary.duration, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout, latency:percentile(99)))
end
