package io.github.stablecut.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthEndpoint;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.actuate.health.Status;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Applications of Spring Boot 3.5 with the starter, which is compiled for Spring Boot 4. */
final class SpringBoot3Test {
  private static final CounterKey STARTS = Key.counter("app", "starts");

  @TempDir private Path directory;

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Application {
    @Bean
    MeterRegistry registry() {
      return new SimpleMeterRegistry();
    }
  }

  /** An application with two stores. */
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class TwoStores {
    @Bean
    Store carts(StablecutProperties properties) {
      return Stablecut.open(Path.of(properties.directory(), "carts"));
    }

    @Bean
    Store users(StablecutProperties properties) {
      return Stablecut.open(Path.of(properties.directory(), "users"));
    }
  }

  /** An application with a health indicator of its own. */
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class OwnIndicator {
    @Bean
    HealthIndicator stablecutHealthIndicator() {
      return () -> Health.status("OWN").build();
    }
  }

  private ConfigurableApplicationContext start(Class<?> application, String... arguments) {
    String[] all =
        Stream.concat(
                Stream.of("--stablecut.directory=" + directory.resolve("store")),
                Arrays.stream(arguments))
            .toArray(String[]::new);
    return new SpringApplicationBuilder(application).web(WebApplicationType.NONE).run(all);
  }

  private static Status health(ConfigurableApplicationContext application, String... path) {
    HealthEndpoint endpoint = application.getBean(HealthEndpoint.class);
    return Objects.requireNonNull(endpoint.healthForPath(path)).getStatus();
  }

  @Test
  void theStoreIsABeanWithHealthAndFigures() {
    try (ConfigurableApplicationContext application = start(Application.class)) {
      Store store = application.getBean(Store.class);
      store.update(STARTS.increment());

      assertThat(SpringBootVersion.getVersion()).startsWith("3.5.");
      assertThat(health(application, "stablecut")).isEqualTo(Status.UP);
      HealthIndicator indicator =
          application.getBean("stablecutHealthContributor", HealthIndicator.class);
      assertThat(indicator.getHealth(true).getDetails()).containsEntry("partitions", 1);
      assertThat(indicator.getHealth(false).getDetails()).isEmpty();
      assertThat(commitsOnceThereAreSome(application)).isEqualTo(1);
    }
  }

  /** Waits for commits; the meters may lag by a quarter of a second. */
  private static double commitsOnceThereAreSome(ConfigurableApplicationContext application) {
    FunctionCounter commits =
        application.getBean(MeterRegistry.class).get("stablecut.commits").functionCounter();
    long end = System.nanoTime() + Duration.ofSeconds(10).toNanos();
    while (commits.count() == 0 && System.nanoTime() < end) {
      LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
    }
    return commits.count();
  }

  @Test
  void aStoreThatTakesNoCommitsIsDown() {
    try (ConfigurableApplicationContext application = start(Application.class)) {
      application.getBean(Store.class).close();

      assertThat(health(application, "stablecut")).isEqualTo(Status.DOWN);
    }
  }

  @Test
  void eachOfTwoStoresIsReported() {
    try (ConfigurableApplicationContext application = start(TwoStores.class)) {
      for (String store : List.of("carts", "users")) {
        assertThat(health(application, "stablecut", store)).isEqualTo(Status.UP);
      }
    }
  }

  @Test
  void theHealthCanBeLeftOutOrReplaced() {
    for (String property :
        List.of(
            "--management.health.stablecut.enabled=false",
            "--management.health.defaults.enabled=false")) {
      try (ConfigurableApplicationContext application = start(Application.class, property)) {
        assertThat(application.containsBean("stablecutHealthContributor")).isFalse();
      }
    }
    try (ConfigurableApplicationContext application = start(OwnIndicator.class)) {
      assertThat(health(application, "stablecut")).isEqualTo(new Status("OWN"));
    }
  }
}
