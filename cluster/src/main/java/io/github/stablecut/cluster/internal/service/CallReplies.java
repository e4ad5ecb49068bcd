package io.github.stablecut.cluster.internal.service;

import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.call.AnswerCodec;
import io.github.stablecut.cluster.internal.call.CallFrame;
import io.github.stablecut.error.OutcomeUnknownException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/** Answers to calls. */
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

  /** What is said instead of an answer: never that nothing was changed when something was. */
  private static Answer instead(Answer answer, RuntimeException why) {
    return answer instanceof Answer.Tried tried && tried.isWritten()
        ? CallErrors.answer(unsaid(why))
        : CallErrors.answer(why);
  }

  /** What is said if what a conditional write has found can't be, although it has written. */
  static OutcomeUnknownException unsaid(RuntimeException why) {
    return new OutcomeUnknownException(
        "the condition held and its updates were made, and the answer can't be sent: %s; read what it would have told"
            .formatted(why.getMessage()));
  }

  @Override
  public Optional<Answer> unsent(Throwable failure) {
    return Optional.empty();
  }

  @Override
  public boolean saysAlive() {
    return true;
  }
}
