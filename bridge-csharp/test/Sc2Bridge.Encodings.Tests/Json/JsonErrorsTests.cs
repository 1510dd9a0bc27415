using Google.Protobuf.WellKnownTypes;
using Sc2Bridge.Encodings.Json.Writing;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Encodings.Tests.Json;

public sealed class JsonErrorsTests
{
    [Fact]
    public void Defects_keep_the_stack_that_shows_where_they_happened()
    {
        // A type without a generated class has no parser that could order the fields.
        var type = FileDescriptor.BuildFromByteStrings([Duration.Descriptor.File.SerializedData])[0].MessageTypes[0];
        byte[] disorder = [0x10, 1, 0x08, 1];
        var frame = ObservationFrame.Copy([], new FrameHeader("m", 0, 1, 1, 1, 2));
        var thrown = Assert.Throws<NullReferenceException>(
            () => new JsonWriterPool(type).Write(frame, PartSet.None, disorder));
        Assert.Contains($"{nameof(TextPass)}.PutInOrder", thrown.StackTrace, StringComparison.Ordinal);
        frame.Release();
    }

    // For every fault in a message, the step log, the recorder and the transports get the same type of exception.
    [Fact]
    public void Fields_that_the_library_left_out_of_order_are_refused_with_the_documented_error()
    {
        var second = new TextPass(0);
        byte[] disorder = [0x12, 1, (byte)'a', 0x08, 1];
        var output = MessageBuffer.Rent();
        var refused = Assert.Throws<EncodingException>(() => second.Write(
            TextMessage.Of(ChatReceived.Descriptor),
            [.. disorder, .. new byte[WireBytes.Padding]],
            disorder.Length,
            output));
        Assert.Contains("out of order", refused.Message, StringComparison.Ordinal);
        output.Release();
    }
}
