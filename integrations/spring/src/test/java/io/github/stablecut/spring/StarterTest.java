package io.github.stablecut.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.StoreInUseException;
import io.github.stablecut.error.TypeMismatchException;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.Durability;
import io.github.stablecut.option.StoreOptions;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Applications of Spring Boot with the starter on their class path. */
final class StarterTest {
  private static final CounterKey STARTS = Key.counter("app", "starts");

  @TempDir private Path directory;

  /** An application that counts its starts and writes when it ends. */
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Application {
    @Bean
    StoreUser starts(Store store) {
      return new StoreUser(store);
    }

    @Bean
    MeterRegistry registry() {
      return new SimpleMeterRegistry();
    }
  }

  /** A bean that uses the store until the application ends. */
  static final class StoreUser implements AutoCloseable {
    private final Store store;

    StoreUser(Store store) {
      this.store = store;
      store.update(STARTS.increment());
    }

    @Override
    public void close() {
      store.update(STARTS.increment(100));
    }
  }

  /** An application with an option that has no property. */
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class CustomizedApplication {
    static final List<StoreOptions> SEEN = new ArrayList<>();

    @Bean
    StoreOptionsCustomizer deeper() {
      return options -> options.withLimits(options.limits().withNestingDepth(40));
    }

    @Bean
    StoreOptionsCustomizer sees() {
      return options -> {
        SEEN.add(options);
        return options;
      };
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

  @Test
  void theStoreIsABeanThatIsClosedAfterItsUsers() {
    Store store;
    try (ConfigurableApplicationContext application = start(Application.class)) {
      store = application.getBean(Store.class);
      assertThat(store.read(STARTS)).isEqualTo(1);
    }
    assertThatThrownBy(() -> store.read(STARTS)).isInstanceOf(StablecutException.class);

    try (Store again = Stablecut.open(directory.resolve("store"))) {
      assertThat(again.read(STARTS)).isEqualTo(101);
    }
  }

  private static Status health(ConfigurableApplicationContext application) {
    HealthEndpoint endpoint = application.getBean(HealthEndpoint.class);
    return Objects.requireNonNull(endpoint.healthForPath("stablecut")).getStatus();
  }

  @Test
  void theActuatorTellsItsHealthAndItsFigures() {
    try (ConfigurableApplicationContext application = start(Application.class)) {
      Status health = health(application);
      MeterRegistry registry = application.getBean(MeterRegistry.class);

      assertThat(health).isEqualTo(Status.UP);
      assertThat(registry.get("stablecut.commits").functionCounter().count()).isEqualTo(1);
      assertThat(registry.get("stablecut.failures").gauge().value()).isZero();
    }
  }

  @Test
  void aStoreThatTakesNoCommitsIsDown() {
    try (ConfigurableApplicationContext application = start(Application.class)) {
      application.getBean(Store.class).close();
      Status health = health(application);

      assertThat(health).isEqualTo(Status.DOWN);
    } catch (StablecutException lastWord) {
      assertThat(lastWord).hasMessageContaining("closed");
    }
  }

  @Test
  void propertiesAndCustomizersMakeTheOptions() {
    try (ConfigurableApplicationContext application =
        start(
            CustomizedApplication.class,
            "--stablecut.partitions=3",
            "--stablecut.durability=group",
            "--stablecut.durability-window=5ms",
            "--stablecut.retention=2d")) {
      assertThat(application.getBean(Store.class).status().partitions()).isEqualTo(3);
    }
    StoreOptions seen = CustomizedApplication.SEEN.get(0);
    assertThat(seen.limits().nestingDepth()).isEqualTo(40);
    assertThat(seen.durability()).isEqualTo(Durability.group(Duration.ofMillis(5)));
    assertThat(seen.checkpoints().retention()).isEqualTo(Duration.ofDays(2));
  }

  @Test
  void describesWhyTheStoreCannotBeOpened() throws IOException {
    Throwable thrown;
    try (Store store = Stablecut.open(directory.resolve("store"))) {
      thrown = catchThrowable(() -> start(Application.class));
      assertThat(store.status().health().failures()).isEmpty();
    }
    FailureAnalysis analysis = new StablecutFailureAnalyzer().analyze(thrown);

    assertThat(thrown).hasRootCauseInstanceOf(StoreInUseException.class);
    assertThat(Objects.requireNonNull(analysis).getDescription())
        .startsWith("The store could not be opened: ")
        .contains("is open");
    try (InputStream factories =
        Objects.requireNonNull(
            StablecutFailureAnalyzer.class.getResourceAsStream("/META-INF/spring.factories"))) {
      assertThat(new String(factories.readAllBytes(), StandardCharsets.UTF_8))
          .contains(
              FailureAnalyzer.class.getName() + "=" + StablecutFailureAnalyzer.class.getName());
    }
  }

  @Test
  void aPropertyOutOfItsRangeIsNamed() {
    Map<String, String> refused =
        Map.of(
            "--stablecut.partitions=-1",
            "stablecut.partitions: partitions must be 1 to ",
            "--stablecut.durability-window=20s",
            "stablecut.durability-window: ",
            "--stablecut.retention=-1h",
            "stablecut.retention: retention must not be negative");

    refused.forEach(
        (argument, words) -> {
          Throwable thrown =
              catchThrowable(
                  () -> start(Application.class, "--stablecut.durability=group", argument));

          FailureAnalysis analysis = new StablecutFailureAnalyzer().analyze(thrown);

          assertThat(Objects.requireNonNull(analysis).getDescription()).contains(words);
        });
  }

  @Test
  void anEmptyUrlIsNone() {
    try (ConfigurableApplicationContext application =
        new SpringApplicationBuilder(OnlyProperties.class)
            .web(WebApplicationType.NONE)
            .run("--stablecut.url=", "--stablecut.directory= ")) {
      StablecutProperties properties = application.getBean(StablecutProperties.class);

      assertThat(properties.server()).isNull();
      assertThat(properties.directory()).isEqualTo("data");
    }
  }

  /** The store's log messages while an application starts. */
  private List<String> logged(String... arguments) {
    Logger logger = (Logger) LoggerFactory.getLogger(StablecutAutoConfiguration.class);
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--stablecut.directory=" + directory.resolve("store"));
    SpringApplicationBuilder application =
        new SpringApplicationBuilder(Application.class)
            .web(WebApplicationType.NONE)
            // Spring has set up logging by then.
            .initializers(context -> logger.addAppender(log));
    try (ConfigurableApplicationContext started = application.run(all.toArray(String[]::new))) {
      assertThat(started.isRunning()).isTrue();
    }
    return log.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  @Test
  void anEmptyUrlIsReportedWithTheDefaultDirectory() {
    assertThat(logged("--stablecut.url= "))
        .singleElement()
        .asString()
        .startsWith("stablecut.url is empty")
        .contains("" + directory.resolve("store").toAbsolutePath());
    assertThat(logged()).isEmpty();
  }

  /** An application that fails for another reason than its store. */
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Mistaken {
    @Bean
    String mistake(Store store) {
      store.update(STARTS.increment());
      store.update(Key.enableWinsFlag("app", "starts").enable());
      return "not reached";
    }
  }

  @Test
  void showsOtherRefusalsWithTheirPosition() {
    Throwable thrown = catchThrowable(() -> start(Mistaken.class));

    assertThat(thrown).hasRootCauseInstanceOf(TypeMismatchException.class);
    assertThat(new StablecutFailureAnalyzer().analyze(thrown)).isNull();
  }

  /** An application with two stores. */
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class TwoStores {
    @Bean
    Store carts(StablecutProperties properties) {
      // Before the first request for its status, which is cached.
      Store carts = Stablecut.open(Path.of(properties.directory(), "carts"));
      carts.update(STARTS.increment());
      return carts;
    }

    @Bean
    Store users(StablecutProperties properties) {
      return Stablecut.open(Path.of(properties.directory(), "users"));
    }

    @Bean
    MeterRegistry registry() {
      return new SimpleMeterRegistry();
    }
  }

  @Test
  void theActuatorTellsOfEachOfTwoStores() {
    try (ConfigurableApplicationContext application = start(TwoStores.class)) {
      HealthEndpoint health = application.getBean(HealthEndpoint.class);
      MeterRegistry registry = application.getBean(MeterRegistry.class);

      for (String store : List.of("carts", "users")) {
        assertThat(Objects.requireNonNull(health.healthForPath("stablecut", store)).getStatus())
            .isEqualTo(Status.UP);
        assertThat(registry.get("stablecut.commits").tag("store", store).functionCounter().count())
            .isEqualTo(store.equals("carts") ? 1 : 0);
      }
    }
  }

  /** An application without a store. */
  @Configuration(proxyBeanMethods = false)
  @EnableConfigurationProperties(StablecutProperties.class)
  static class OnlyProperties {}

  @Test
  void aDirectoryIsNoResourceOfTheClassPath() {
    try (ConfigurableApplicationContext application =
        new SpringApplicationBuilder(OnlyProperties.class)
            .web(WebApplicationType.NONE)
            .run("--stablecut.directory=META-INF")) {
      assertThat(application.getBean(StablecutProperties.class).directory()).isEqualTo("META-INF");
    }
  }

  @Test
  void aUrlConnectsToAServer() {
    assertThatThrownBy(
            () -> start(Application.class, "--stablecut.url=stablecut://127.0.0.1:1?timeout=1"))
        .hasStackTraceContaining("no server answers at /127.0.0.1:1");
    assertThat(directory.resolve("store")).doesNotExist();
  }
}
