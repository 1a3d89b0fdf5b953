#include "base/http/reply.h"

#include <gmock/gmock.h>

namespace lento::base {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(HttpReplyHead, StatusLineFieldsAndABlankLine) {
  HttpReply reply;
  reply.status = 200;
  reply.type = "text/plain";
  const std::string head = http_reply_head(reply, 12, true);
  EXPECT_THAT(head, StartsWith("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 12\r\n"));
  EXPECT_THAT(head, EndsWith("Connection: keep-alive\r\n\r\n"));
  EXPECT_THAT(head, Not(HasSubstr("ETag")));
  EXPECT_THAT(http_reply_head(reply, 0, false), EndsWith("Connection: close\r\n\r\n"));
}

TEST(HttpReplyHead, StatusWithoutAWordOfItsOwn) {
  HttpReply reply;
  reply.status = 418;
  EXPECT_THAT(http_reply_head(reply, 0, false), StartsWith("HTTP/1.1 418 Answer\r\n"));
  reply.status = 503;
  EXPECT_THAT(http_reply_head(reply, 0, false), StartsWith("HTTP/1.1 503 Error\r\n"));
}

TEST(HttpRefusal, SaysWhatIsAccepted) {
  EXPECT_EQ(http_refusal(405).status, 405);
  EXPECT_THAT(http_reply_head(http_refusal(405), 0, false), HasSubstr("Allow: GET, HEAD\r\n"));
  EXPECT_THAT(http_refusal(421).body, HasSubstr("loopback"));
  EXPECT_EQ(http_refusal(999).status, 400);
}

}  // namespace
}  // namespace lento::base
