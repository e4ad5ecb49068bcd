package io.github.stablecut.spring;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Says why the store could not be opened, in place of a stack trace: its message has the way out.
 */
final class StablecutFailureAnalyzer extends AbstractFailureAnalyzer<StoreNotOpened> {
  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, StoreNotOpened cause) {
    return new FailureAnalysis(
        "The store could not be opened: " + cause.getMessage(),
        "Do what the message says; flags of the JVM go into <jvmArguments> of spring-boot-maven-plugin, jvmArgs of bootRun, or JDK_JAVA_OPTIONS.",
        cause);
  }
}
