#!/bin/sh
# Uploads readings with curl, and asks for power and energy.
#
#   client.sh upload SENSOR WATTS WATTHOURS   now, by the service's clock
#   client.sh latest SENSOR                   the newest power
#   client.sh days SENSOR FROM TO             energy by day, such as from 2026-01-01 to 2026-02-01
#
# Environment: ELEC_API_ID and ELEC_API_KEY, as `wattkeeper key add` prints them; ELEC_URL, by
# default http://localhost:8080/api/v0.2.
set -eu
url=${ELEC_URL:-http://localhost:8080/api/v0.2}/elec

# The key is no argument, as other users of the machine see those. A service that restarts is tried
# again.
request() {
    printf 'user = "%s:%s"\n' "$ELEC_API_ID" "$ELEC_API_KEY" |
        curl --silent --show-error --fail-with-body --retry 5 --retry-connrefused --config - "$@"
    echo
}

case ${1:-} in
upload)
    request "$url" --data "{\"sensor_id\": \"$2\", \"watts\": $3, \"watthours\": $4}"
    ;;
latest)
    request --get "$url" --data-urlencode "sensor_id=$2" --data type=latest_rate
    ;;
days)
    request --get "$url" --data-urlencode "sensor_id=$2" --data type=consumption --data interval=1d \
        --data-urlencode "tz=${TZ:-UTC}" --data "start_time=$3" --data "end_time=$4"
    ;;
*)
    sed -n 's/^#   //p' "$0" >&2
    exit 2
    ;;
esac
