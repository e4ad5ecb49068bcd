package io.github.stablecut.cluster.internal.register;

import java.util.concurrent.CompletionStage;

/** Carries calls between the nodes that keep the register. Thread-safe. */
@FunctionalInterface
public interface RegisterChannel {
  /**
   * Has another node answer a request ({@link RatisRegister#handle}). Never waits.
   *
   * @return its answer; completes exceptionally if there is none in a few seconds
   */
  CompletionStage<byte[]> call(String to, byte[] request);
}
