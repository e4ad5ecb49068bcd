package io.github.stablecut.spring;

import io.github.stablecut.Store;
import io.github.stablecut.micrometer.StablecutMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import java.util.Map;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.CompositeHealthContributorConfiguration;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Reports all of the application's {@link Store} beans to Spring Boot's actuator. */
@AutoConfiguration(after = StablecutAutoConfiguration.class)
@ConditionalOnBean(Store.class)
public class StablecutActuatorConfiguration {
  /** For Spring. */
  public StablecutActuatorConfiguration() {}

  /**
   * The stores' metrics for Micrometer; Spring Boot binds them to its registries. With several
   * stores, each has the tag {@code store}, the name of its bean.
   */
  @Bean
  @ConditionalOnMissingBean(name = "stablecutMetrics", value = StablecutMetrics.class)
  public MeterBinder stablecutMetrics(Map<String, Store> all) {
    return new MetricsOfStores(all);
  }

  /** The metrics of several stores; Spring closes them. */
  private static final class MetricsOfStores implements MeterBinder, AutoCloseable {
    private final List<StablecutMetrics> metrics;

    MetricsOfStores(Map<String, Store> all) {
      metrics =
          all.entrySet().stream()
              .map(
                  one ->
                      new StablecutMetrics(
                          one.getValue(),
                          all.size() == 1 ? Tags.empty() : Tags.of("store", one.getKey())))
              .toList();
    }

    @Override
    public void bindTo(MeterRegistry registry) {
      metrics.forEach(one -> one.bindTo(registry));
    }

    @Override
    public void close() {
      metrics.forEach(StablecutMetrics::close);
    }
  }

  /** The stores' health, if the application has the actuator of Spring Boot 4. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(HealthIndicator.class)
  @ConditionalOnEnabledHealthIndicator("stablecut")
  static class Health
      extends CompositeHealthContributorConfiguration<StablecutHealthIndicator, Store> {
    Health() {
      super(StablecutHealthIndicator::new);
    }

    @Bean
    @ConditionalOnMissingBean(name = {"stablecutHealthIndicator", "stablecutHealthContributor"})
    HealthContributor stablecutHealthContributor(ConfigurableListableBeanFactory beans) {
      return createContributor(beans, Store.class);
    }
  }

  /** The stores' health, if the application has the actuator of Spring Boot 3. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(name = SpringBoot3Health.INDICATOR)
  @Import(SpringBoot3Health.class)
  static class HealthOfSpringBoot3 {
    HealthOfSpringBoot3() {}
  }
}
