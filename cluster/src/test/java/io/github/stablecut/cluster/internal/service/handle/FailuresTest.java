package io.github.stablecut.cluster.internal.service.handle;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.github.stablecut.cluster.internal.antidote.ErrorCode;
import io.github.stablecut.cluster.internal.antidote.Response;
import io.github.stablecut.error.LimitExceededException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What a failed request logs, and what its client gets. */
class FailuresTest {
  private final Logger logger = (Logger) LoggerFactory.getLogger(Failures.class);
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();

  @BeforeEach
  void listen() {
    log.start();
    logger.addAppender(log);
    logger.setAdditive(false);
  }

  @AfterEach
  void end() {
    logger.setAdditive(true);
    logger.detachAppender(log);
  }

  @Test
  void unexpectedFailuresAreLoggedAtALimitedRateAndAnswersNameALoggedOne() {
    for (int i = 0; i < 1_000; i++) {
      Response.Failed answer = Failures.answer(new IllegalStateException("again"));

      assertThat(answer.code()).isEqualTo(ErrorCode.UNKNOWN);
      assertThat(answer.message()).matches(".* its log has the reason \\(failure [0-9]+\\)");
    }
    assertThat(log.list).hasSizeLessThanOrEqualTo(5);
  }

  @Test
  void aRefusalIsNotLoggedAndIsTruncated() {
    Response.Failed answer = Failures.answer(new LimitExceededException("x".repeat(9_000)));

    assertThat(answer.message()).endsWith("x… (9,000 characters)").hasSizeLessThan(2_100);
    assertThat(log.list).isEmpty();
  }
}
