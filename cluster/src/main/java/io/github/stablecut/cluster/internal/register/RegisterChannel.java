package io.github.stablecut.cluster.internal.register;

import java.util.concurrent.CompletionStage;

/** Carries calls to the nodes that keep the configuration register. Thread-safe. */
@FunctionalInterface
public interface RegisterChannel {
  /**
   * Sends a request to another node, which answers it with {@link RatisRegister#handle}. Never
   * blocks.
   *
   * @return the answer; completes exceptionally if there is none within a few seconds
   */
  CompletionStage<byte[]> call(String to, byte[] request);
}
