package io.github.stablecut.cluster.internal.service;

import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.call.AnswerCodec;
import io.github.stablecut.cluster.internal.call.CallFrame;
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
    return CallFrame.write(CallFrame.ANSWER, AnswerCodec.encode(answer));
  }

  @Override
  public Answer untaken() {
    return CallHandler.failed(new BusyException(UNTAKEN));
  }

  @Override
  public Optional<Answer> refused(RuntimeException why) {
    return Optional.of(CallHandler.failed(why));
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
