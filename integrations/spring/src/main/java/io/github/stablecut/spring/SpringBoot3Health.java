package io.github.stablecut.spring;

import io.github.stablecut.Store;
import io.github.stablecut.log.Log;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/**
 * The {@link StoreHealth} of the application's stores for the actuator of Spring Boot 3. It calls
 * the actuator's health classes by name, because no class path has those of both versions.
 */
final class SpringBoot3Health implements ImportBeanDefinitionRegistrar {
  /** The package of Spring Boot 3's health classes. */
  private static final String PACKAGE = "org.springframework.boot.actuate.health.";

  /** A class that exists if the application has the actuator of Spring Boot 3. */
  static final String INDICATOR = PACKAGE + "HealthIndicator";

  private static final Logger LOG = Log.of(SpringBoot3Health.class);
  private static final MethodHandles.Lookup LOOKUP = MethodHandles.publicLookup();

  private final ListableBeanFactory beans;
  private final Environment environment;
  private final ClassLoader classes;

  /** For Spring. */
  SpringBoot3Health(BeanFactory beans, Environment environment, ClassLoader classes) {
    this.beans = (ListableBeanFactory) beans;
    this.environment = environment;
    this.classes = classes;
  }

  /** Decides as {@code ConditionalOnEnabledHealthIndicator} does. */
  private boolean isEnabled() {
    boolean byDefault =
        environment.getProperty("management.health.defaults.enabled", Boolean.class, true);
    return environment.getProperty("management.health.stablecut.enabled", Boolean.class, byDefault);
  }

  @Override
  public void registerBeanDefinitions(
      AnnotationMetadata importing, BeanDefinitionRegistry registry) {
    if (isEnabled()
        && !registry.containsBeanDefinition("stablecutHealthIndicator")
        && !registry.containsBeanDefinition("stablecutHealthContributor")) {
      RootBeanDefinition bean = new RootBeanDefinition(named("HealthContributor"));
      bean.setInstanceSupplier(() -> contributor(beans.getBeansOfType(Store.class)));
      registry.registerBeanDefinition("stablecutHealthContributor", bean);
    }
  }

  private Object contributor(Map<String, Store> stores) {
    if (stores.size() == 1) {
      return indicator(stores.values().iterator().next());
    }
    Map<String, Object> all = new LinkedHashMap<>();
    stores.forEach((name, store) -> all.put(name, indicator(store)));
    Class<?> composite = named("CompositeHealthContributor");
    return call(composite, "fromMap", MethodType.methodType(composite, Map.class), all);
  }

  private Object indicator(Store store) {
    InvocationHandler handler =
        (proxy, method, arguments) ->
            switch (method.getName()) {
              case "health" -> health(store);
              case "equals" -> proxy == arguments[0];
              case "hashCode" -> System.identityHashCode(proxy);
              case "toString" -> "health of " + store;
              default -> InvocationHandler.invokeDefault(proxy, method, arguments);
            };
    return Proxy.newProxyInstance(classes, new Class<?>[] {named("HealthIndicator")}, handler);
  }

  private Object health(Store store) {
    try {
      StoreHealth health = StoreHealth.of(store);
      return built(health.isUp() ? "up" : "down", health.details());
    } catch (RuntimeException e) {
      LOG.warn("the store does not answer", e);
      return built("down", Map.of("error", e.getClass().getName() + ": " + e.getMessage()));
    }
  }

  private Object built(String status, Map<String, Object> details) {
    Class<?> builder = named("Health$Builder");
    Object healthBuilder = call(named("Health"), status, MethodType.methodType(builder));
    MethodType withDetails = MethodType.methodType(builder, Map.class);
    try {
      LOOKUP.findVirtual(builder, "withDetails", withDetails).invoke(healthBuilder, details);
      return LOOKUP
          .findVirtual(builder, "build", MethodType.methodType(named("Health")))
          .invoke(healthBuilder);
    } catch (Throwable e) {
      throw notSpringBoot3(e);
    }
  }

  /** Calls a static method. */
  private static Object call(Class<?> of, String method, MethodType type, Object... arguments) {
    try {
      return LOOKUP.findStatic(of, method, type).invokeWithArguments(arguments);
    } catch (Throwable e) {
      throw notSpringBoot3(e);
    }
  }

  private Class<?> named(String name) {
    try {
      return Class.forName(PACKAGE + name, false, classes);
    } catch (ClassNotFoundException e) {
      throw notSpringBoot3(e);
    }
  }

  private static IllegalStateException notSpringBoot3(Throwable cause) {
    return new IllegalStateException(
        "this version of Spring Boot 3 has other health classes than 3.5: set"
            + " management.health.stablecut.enabled=false, or use 3.5 or 4",
        cause);
  }
}
