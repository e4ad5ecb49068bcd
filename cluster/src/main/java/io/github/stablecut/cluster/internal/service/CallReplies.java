package io.github.stablecut.cluster.internal.service;

import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.call.AnswerCodec;
import io.github.stablecut.cluster.internal.call.CallFrame;
import io.github.stablecut.cluster.internal.service.handle.BusyException;
import io.github.stablecut.error.OutcomeUnknownException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/** Encodes answers to calls. */
record CallReplies() implements Replies<Answer> {
  @Override
  public boolean isFailure(Answer answer) {
    return answer instanceof Answer.Failed;
  }

  @Override
  public long minBytes(Answer answer) {
    return answer.minBytes();
  }

  @Override
  public List<ByteBuffer> frame(Answer answer) {
    return CallFrame.write(CallFrame.ANSWER, AnswerCodec.encodePieces(answer));
  }

  @Override
  public Answer untaken(Answer answer) {
    return instead(answer, new BusyException(UNTAKEN));
  }

  @Override
  public Optional<Answer> refused(Answer answer, RuntimeException why) {
    return Optional.of(instead(answer, why));
  }

  /** Replaces an answer by an error that never denies a change that was made. */
  private static Answer instead(Answer answer, RuntimeException why) {
    return answer instanceof Answer.ConditionalResult tried && tried.isWritten()
        ? CallErrors.answer(unreported(why))
        : CallErrors.answer(why);
  }

  /** Returns the error for a conditional write that succeeded and whose answer can't be sent. */
  static OutcomeUnknownException unreported(RuntimeException why) {
    return new OutcomeUnknownException(
        "the condition held and its updates were made, but the answer can't be sent: %s; read the values that it would have contained"
            .formatted(why.getMessage()));
  }

  @Override
  public Optional<Answer> unsent(Throwable failure) {
    return Optional.empty();
  }

  @Override
  public boolean needsKeepAlive() {
    return true;
  }
}
