package io.github.stablecut.cluster.internal.register;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class RegisterWatchTest {
  private final RegisterWatch watch = new RegisterWatch();

  private void tell() {
    watch.told(RegisterWatch.toBytes(List.of(List.of("n1"), List.of(), List.of())));
  }

  @Test
  void theRegisterComesBackWhenItIsHeardAgainAfterItWasNot() {
    watch.untold();
    assertThat(watch.comebacks()).isZero();
    tell();
    tell();
    assertThat(watch.comebacks()).isEqualTo(1);

    watch.untold();
    watch.untold();
    tell();

    assertThat(watch.comebacks()).isEqualTo(2);
  }
}
