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

const GO: &[(&str, Role, &str)] = &[
    ("github.com/IBM/sarama", Messaging, "kafka"),
    ("github.com/Shopify/sarama", Messaging, "kafka"),
    ("github.com/confluentinc/confluent-kafka-go", Messaging, "kafka"),
    ("github.com/gin-gonic/gin", Framework, "gin"),
    ("github.com/go-chi/chi", Framework, "chi"),
    ("github.com/go-redis/redis", Messaging, "redis"),
    ("github.com/go-sql-driver/mysql", Database, "mysql"),
    ("github.com/gofiber/fiber", Framework, "fiber"),
    ("github.com/gorilla/mux", Framework, "gorilla"),
    ("github.com/jackc/pgx", Database, "postgres"),
    ("github.com/labstack/echo", Framework, "echo"),
    ("github.com/lib/pq", Database, "postgres"),
    ("github.com/mattn/go-sqlite3", Database, "sqlite"),
    ("github.com/nats-io/nats.go", Messaging, "nats"),
    ("github.com/rabbitmq/amqp091-go", Messaging, "rabbitmq"),
    ("github.com/redis/go-redis", Messaging, "redis"),
    ("github.com/segmentio/kafka-go", Messaging, "kafka"),
    ("github.com/streadway/amqp", Messaging, "rabbitmq"),
    ("go.mongodb.org/mongo-driver", Database, "mongodb"),
];

const JAVA: &[(&str, Role, &str)] = &[
    ("dropwizard-core", Framework, "dropwizard"),
    ("kafka-clients", Messaging, "kafka"),
    ("micronaut-http-server-netty", Framework, "micronaut"),
    ("mysql-connector-j", Database, "mysql"),
    ("quarkus-rest", Framework, "quarkus"),
    ("quarkus-rest-jackson", Framework, "quarkus"),
    ("quarkus-resteasy", Framework, "quarkus"),
    ("quarkus-resteasy-jackson", Framework, "quarkus"),
    ("spring-boot-admin-starter-server", Framework, "spring"),
    ("spring-boot-starter-amqp", Messaging, "rabbitmq"),
    ("spring-boot-starter-data-mongodb", Database, "mongodb"),
    ("spring-boot-starter-data-redis", Database, "redis"),
    ("spring-boot-starter-web", Framework, "spring"),
    ("spring-boot-starter-webflux", Framework, "spring"),
    ("spring-boot-starter-webmvc", Framework, "spring"),
    ("spring-cloud-config-server", Framework, "spring"),
    ("spring-cloud-starter-gateway", Framework, "spring"),
    ("spring-cloud-starter-gateway-server-webflux", Framework, "spring"),
    ("spring-cloud-starter-gateway-server-webmvc", Framework, "spring"),
    ("spring-cloud-starter-netflix-eureka-server", Framework, "spring"),
    ("spring-kafka", Messaging, "kafka"),
];

const CSHARP: &[(&str, Role, &str)] = &[
    ("Confluent.Kafka", Messaging, "kafka"),
    ("Grpc.AspNetCore", Framework, "grpc"),
    ("MassTransit.RabbitMQ", Messaging, "rabbitmq"),
    ("MongoDB.Driver", Database, "mongodb"),
    ("Npgsql", Database, "postgres"),
    ("Npgsql.EntityFrameworkCore.PostgreSQL", Database, "postgres"),
    ("RabbitMQ.Client", Messaging, "rabbitmq"),
    ("StackExchange.Redis", Database, "redis"),
];

/// Returns the role of a dependency in a language and the name of its technology, if known.
pub(super) fn of_dependency(language: &str, name: &str) -> Option<(Role, &'static str)> {
    let table = match language {
        "rust" => RUST,
        "javascript" => JAVASCRIPT,
        "python" => PYTHON,
        "go" => GO,
        "java" => JAVA,
        "csharp" => CSHARP,
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
        for table in [RUST, JAVASCRIPT, PYTHON, GO, JAVA, CSHARP] {
            assert!(table.is_sorted_by(|a, b| a.0 < b.0));
        }
        assert!(INFRASTRUCTURE.is_sorted());
    }
}
