-- Times are milliseconds since 1970 in a bigint: exactly those of the service, from the year 0 to 9999, without any
-- conversion of time zones.

-- Accounts, credentials, sensors and so on, with the same records and keys as in the embedded store.
create table records (
    kind smallint not null,
    key bytea not null,
    value bytea not null,
    primary key (kind, key)
);

-- The version grows with each change of the records of a kind, so that front-ends know which parts of their copy are
-- outdated. That of the kind 0 grows with each change of any kind; a transaction that makes one locks this row.
create table registry_versions (
    kind smallint primary key,
    version bigint not null
);
insert into registry_versions values (0, 0);

-- The recently changed records, by the version of the kind 0 that the change made: front-ends load only these.
create table registry_log (
    version bigint not null,
    kind smallint not null,
    key bytea not null,
    primary key (version, kind, key)
);

-- A number for each sensor, for keys of 8 bytes instead of up to 64.
create table sensors (
    id bigint generated always as identity primary key,
    name text collate "C" not null unique
);

-- The activity of each sensor. Each upload updates a row: pages have free space to do so in place.
create table activity (
    sensor bigint primary key,
    previous_arrival bigint,
    last_arrival bigint,
    last_upload bigint,
    power_time bigint,
    power_watts float8,
    last_assigned bigint,
    sealed_until bigint,
    unsealed int not null default 0
) with (fillfactor = 50);

-- The newest readings.
create table hot (
    sensor bigint not null,
    time bigint not null,
    watts float8,
    watthours float8,
    primary key (sensor, time)
);

-- Sealed readings, in the format of the embedded store, and their summaries, in its records.
create table blocks (
    sensor bigint not null,
    first bigint not null,
    last bigint not null,
    count int not null,
    summary bytea not null,
    bytes bytea not null,
    primary key (sensor, first)
);
-- They are compressed already.
alter table blocks alter column bytes set storage external;

-- On Citus, all rows of a sensor are on one shard, and shared tables are on every server.
do $$
begin
    if exists (select from pg_extension where extname = 'citus') then
        perform create_reference_table('records');
        perform create_reference_table('registry_versions');
        perform create_reference_table('registry_log');
        perform create_reference_table('sensors');
        perform create_distributed_table('activity', 'sensor');
        perform create_distributed_table('hot', 'sensor', colocate_with => 'activity');
        perform create_distributed_table('blocks', 'sensor', colocate_with => 'activity');
    end if;
end
$$;
