// An Arduino Uno with an Ethernet shield counts the pulses of a meter (S0) and uploads power and
// register each ten seconds.
// It has no clock: the service gives each reading the time of its arrival.
//
// Make a key with `wattkeeper key add home --scope write`, and fill in the lines up to the mark.

#include <Ethernet.h>
#include <SPI.h>
#include <avr/wdt.h>

const char HOST[] = "192.168.1.5";
const uint16_t PORT = 8080;
const char SENSOR[] = "grid";
const char API_ID[] = "0123456789abcdef";
const char API_KEY[] = "0123456789abcdef0123456789abcdef01234567";
const float WATT_HOURS_PER_PULSE = 1.0;  // 1,000 pulses per kWh
byte MAC[] = {0x02, 0x00, 0x00, 0x00, 0x00, 0x01};
// ---------------------------------------------------------------- up to here

const uint8_t PULSE_PIN = 2;                   // the other wire goes to GND
const unsigned long BOUNCE_MS = 20;            // shorter pulses are none
const unsigned long UPLOAD_EVERY_MS = 10000;
const unsigned long NO_PULSE_MS = 300000;      // then the power is 0

volatile unsigned long pulses = 0;
volatile unsigned long last_pulse_ms = 0;
volatile unsigned long pulse_length_ms = 0;    // between the last two; 0 before the second

EthernetClient client;
unsigned long uploaded_ms = 0;

void on_pulse() {
  const unsigned long now = millis();
  if (now - last_pulse_ms < BOUNCE_MS) return;
  if (pulses > 0) pulse_length_ms = now - last_pulse_ms;
  last_pulse_ms = now;
  pulses++;
}

void setup() {
  Serial.begin(9600);
  pinMode(PULSE_PIN, INPUT_PULLUP);
  attachInterrupt(digitalPinToInterrupt(PULSE_PIN), on_pulse, FALLING);
  // DHCP; without an address the board starts again.
  wdt_enable(WDTO_8S);
  while (Ethernet.begin(MAC, 6000) == 0) delay(10000);
}

// The power since the last pulse: never more than a pulse in this time.
float watts(unsigned long since_ms, unsigned long length_ms) {
  if (length_ms == 0 || since_ms > NO_PULSE_MS) return 0;
  return WATT_HOURS_PER_PULSE * 3600000.0 / max(since_ms, length_ms);
}

// Uploads a reading; returns the status of the answer, or 0 if there is none.
int upload(float power, float watt_hours) {
  char body[200], number[16], total[16];
  dtostrf(power, 1, 1, number);
  dtostrf(watt_hours, 1, 1, total);
  const int length = snprintf(body, sizeof body,
      "{\"sensor_id\":\"%s\",\"api_id\":\"%s\",\"api_key\":\"%s\",\"watts\":%s,\"watthours\":%s}",
      SENSOR, API_ID, API_KEY, number, total);
  if (length >= (int)sizeof body || !client.connect(HOST, PORT)) return 0;
  client.print(F("POST /api/v0.2/elec HTTP/1.1\r\nHost: "));
  client.print(HOST);
  client.print(F("\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: "));
  client.print(length);
  client.print(F("\r\n\r\n"));
  client.print(body);
  client.setTimeout(5000);
  const int status = client.find((char *)"HTTP/1.1 ") ? client.parseInt() : 0;
  client.stop();
  return status;
}

void loop() {
  wdt_reset();
  Ethernet.maintain();
  const unsigned long now = millis();
  if (now - uploaded_ms < UPLOAD_EVERY_MS) return;
  uploaded_ms = now;
  noInterrupts();
  const unsigned long count = pulses, since_ms = now - last_pulse_ms, length_ms = pulse_length_ms;
  interrupts();
  Serial.println(upload(watts(since_ms, length_ms), count * WATT_HOURS_PER_PULSE));
}
