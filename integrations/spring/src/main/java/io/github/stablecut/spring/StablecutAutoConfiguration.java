package io.github.stablecut.spring;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.log.Log;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/**
 * Creates the application's {@link Store}, unless it defines one itself. Spring closes it after the
 * beans that depend on it.
 */
@AutoConfiguration
@EnableConfigurationProperties(StablecutProperties.class)
public class StablecutAutoConfiguration {
  private static final Logger LOG = Log.of(StablecutAutoConfiguration.class);

  /** For Spring. */
  public StablecutAutoConfiguration() {}

  /** Opens the store in the directory, or connects to the URL, that the properties name. */
  @Bean(destroyMethod = "close")
  @ConditionalOnMissingBean
  public Store stablecutStore(
      StablecutProperties properties, ObjectProvider<StoreOptionsCustomizer> customizers) {
    try {
      String server = properties.server();
      return server == null ? open(properties, customizers) : Stablecut.connect(server);
    } catch (StablecutException e) {
      throw new StoreNotOpened(e);
    }
  }

  private static Store open(
      StablecutProperties properties, ObjectProvider<StoreOptionsCustomizer> customizers) {
    StoreOptions options = properties.options();
    for (StoreOptionsCustomizer customizer : customizers.orderedStream().toList()) {
      options = customizer.customize(options);
    }
    Path directory = Path.of(properties.directory());
    if (properties.url() != null) {
      LOG.warn(
          "stablecut.url is empty, so the store is embedded, in {}: set the property to use a"
              + " server, or remove it",
          directory.toAbsolutePath());
    }
    return Stablecut.open(directory, options);
  }
}
