//! Technology stack of a service from its dependencies, and names of third-party containers.

/// Role of a technology in a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Language,
    Framework,
    Database,
    Messaging,
}

impl Role {
    /// Returns the category in the stack.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Language => "language",
            Self::Framework => "framework",
            Self::Database => "database",
            Self::Messaging => "messaging",
        }
    }
}

use Role::{Database, Framework, Messaging};

const RUST: &[(&str, Role, &str)] = &[
    ("actix-web", Framework, "actix-web"),
    ("async-nats", Messaging, "nats"),
    ("axum", Framework, "axum"),
    ("lapin", Messaging, "rabbitmq"),
    ("mongodb", Database, "mongodb"),
    ("nats", Messaging, "nats"),
    ("poem", Framework, "poem"),
    ("postgres", Database, "postgres"),
    ("rdkafka", Messaging, "kafka"),
    ("redis", Messaging, "redis"),
    ("rocket", Framework, "rocket"),
    ("rskafka", Messaging, "kafka"),
    ("rusqlite", Database, "sqlite"),
    ("tokio-postgres", Database, "postgres"),
    ("tonic", Framework, "tonic"),
    ("warp", Framework, "warp"),
];

const JAVASCRIPT: &[(&str, Role, &str)] = &[
    ("@hapi/hapi", Framework, "hapi"),
    ("@nestjs/core", Framework, "nestjs"),
    ("amqplib", Messaging, "rabbitmq"),
    ("better-sqlite3", Database, "sqlite"),
    ("express", Framework, "express"),
    ("fastify", Framework, "fastify"),
    ("hono", Framework, "hono"),
    ("ioredis", Messaging, "redis"),
    ("kafkajs", Messaging, "kafka"),
    ("koa", Framework, "koa"),
    ("mongodb", Database, "mongodb"),
    ("mongoose", Database, "mongodb"),
    ("mysql2", Database, "mysql"),
    ("nats", Messaging, "nats"),
    ("next", Framework, "next"),
    ("pg", Database, "postgres"),
    ("redis", Messaging, "redis"),
];

const PYTHON: &[(&str, Role, &str)] = &[
    ("aio-pika", Messaging, "rabbitmq"),
    ("aiokafka", Messaging, "kafka"),
    ("asyncpg", Database, "postgres"),
    ("confluent-kafka", Messaging, "kafka"),
    ("django", Framework, "django"),
    ("fastapi", Framework, "fastapi"),
    ("flask", Framework, "flask"),
    ("kafka-python", Messaging, "kafka"),
    ("nats-py", Messaging, "nats"),
    ("pika", Messaging, "rabbitmq"),
    ("psycopg", Database, "postgres"),
    ("psycopg2", Database, "postgres"),
    ("psycopg2-binary", Database, "postgres"),
    ("pymongo", Database, "mongodb"),
    ("pymysql", Database, "mysql"),
    ("redis", Messaging, "redis"),
    ("starlette", Framework, "starlette"),
];

/// Returns the role of a dependency in a language and the name of its technology, if known.
pub(super) fn of_dependency(language: &str, name: &str) -> Option<(Role, &'static str)> {
    let table = match language {
        "rust" => RUST,
        "javascript" => JAVASCRIPT,
        "python" => PYTHON,
        _ => return None,
    };
    let at = table.binary_search_by_key(&name, |(known, ..)| known).ok()?;
    let (_, role, what) = table[at];
    Some((role, what))
}

/// Third-party programs that projects run beside their own, by the names of images and containers.
const INFRASTRUCTURE: &[&str] = &[
    "activemq",
    "adminer",
    "alertmanager",
    "cadvisor",
    "cassandra",
    "clickhouse",
    "cockroachdb",
    "consul",
    "elasticsearch",
    "envoy",
    "etcd",
    "fluentd",
    "grafana",
    "haproxy",
    "influxdb",
    "jaeger",
    "kafka",
    "keycloak",
    "kibana",
    "localstack",
    "loki",
    "mailhog",
    "mailpit",
    "mariadb",
    "memcached",
    "minio",
    "mongo",
    "mongodb",
    "mosquitto",
    "mssql",
    "mysql",
    "nats",
    "neo4j",
    "nginx",
    "opensearch",
    "otel-collector",
    "pgadmin",
    "postgres",
    "postgresql",
    "prometheus",
    "pulsar",
    "rabbitmq",
    "redis",
    "redpanda",
    "schema-registry",
    "solr",
    "tempo",
    "traefik",
    "valkey",
    "vault",
    "zipkin",
    "zookeeper",
];

/// True if a container or directory has the name of a third-party program.
pub(super) fn is_infrastructure(name: &str) -> bool {
    let name = name.to_lowercase();
    INFRASTRUCTURE.binary_search(&name.as_str()).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted_for_the_search() {
        for table in [RUST, JAVASCRIPT, PYTHON] {
            assert!(table.is_sorted_by(|a, b| a.0 < b.0));
        }
        assert!(INFRASTRUCTURE.is_sorted());
    }
}
