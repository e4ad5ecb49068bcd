package io.github.stablecut.spring;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.micrometer.StablecutMetrics;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Makes the application's {@link Store}, unless it makes one itself, and tells Spring Boot's
 * actuator how it is. Spring closes the store after the beans that have been given it.
 */
@AutoConfiguration
@EnableConfigurationProperties(StablecutProperties.class)
public class StablecutAutoConfiguration {
  /** For Spring. */
  public StablecutAutoConfiguration() {}

  /** The store in the directory, or at the URL, that the properties name. */
  @Bean(destroyMethod = "close")
  @ConditionalOnMissingBean
  public Store stablecutStore(
      StablecutProperties properties, ObjectProvider<StoreOptionsCustomizer> customizers) {
    String url = properties.url();
    if (url != null) {
      return Stablecut.connect(url);
    }
    StoreOptions options = properties.options();
    for (StoreOptionsCustomizer customizer : customizers.orderedStream().toList()) {
      options = customizer.customize(options);
    }
    return Stablecut.open(Path.of(properties.directory()), options);
  }

  /** The store's figures for Micrometer; Spring Boot binds them to its registries. */
  @Bean
  @ConditionalOnMissingBean
  public StablecutMetrics stablecutMetrics(Store store) {
    return new StablecutMetrics(store);
  }

  /** The store's health, if the application has the actuator's. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(HealthIndicator.class)
  @ConditionalOnEnabledHealthIndicator("stablecut")
  static class Health {
    @Bean
    @ConditionalOnMissingBean(name = "stablecutHealthIndicator")
    HealthIndicator stablecutHealthIndicator(Store store) {
      return new StablecutHealthIndicator(store);
    }
  }
}
