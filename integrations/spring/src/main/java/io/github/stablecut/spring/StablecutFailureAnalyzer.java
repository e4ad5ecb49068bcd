package io.github.stablecut.spring;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Explains why the store could not be opened, without a stack trace. */
final class StablecutFailureAnalyzer extends AbstractFailureAnalyzer<StoreNotOpened> {
  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, StoreNotOpened cause) {
    return new FailureAnalysis(
        "The store could not be opened: " + cause.getMessage(), "Follow the message.", cause);
  }
}
