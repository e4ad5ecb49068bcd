package io.github.stablecut.spring;

import io.github.stablecut.Store;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/** The {@link StoreHealth} of a store for the actuator of Spring Boot 4. Thread-safe. */
final class StablecutHealthIndicator extends AbstractHealthIndicator {
  private final Store store;

  StablecutHealthIndicator(Store store) {
    super("the store does not answer");
    this.store = store;
  }

  @Override
  protected void doHealthCheck(Health.Builder builder) {
    StoreHealth health = StoreHealth.of(store);
    (health.isUp() ? builder.up() : builder.down()).withDetails(health.details());
  }
}
