using FsCheck;
using FsCheck.Fluent;
using Google.Protobuf;
using SC2APIProtocol;

namespace Sc2Bridge.Protocol.Tests;

/// <summary>Untrusted bytes cause only the documented error. If parsing succeeds, both parsers agree.</summary>
public class SlicerFuzzTests
{
    private static readonly byte[] _generated = new Response
    {
        Id = 300,
        Status = Status.Ended,
        Error = { "one", "two" },
        Observation = new ResponseObservation
        {
            Observation = new Observation
            {
                GameLoop = 16_860,
                RawData = new ObservationRaw { Units = { new Unit { Tag = ulong.MaxValue, Owner = -1 } } },
            },
            PlayerResult = { new PlayerResult { PlayerId = 1, Result = SC2APIProtocol.Result.Tie } },
            Chat = { new ChatReceived { Message = "gg" } },
        },
    }.ToByteArray();

    [Fact]
    public void A_message_cut_off_at_any_byte()
    {
        for (var length = 0; length <= _generated.Length; length++)
        {
            Check(_generated.AsSpan(0, length));
        }
    }

    [Fact]
    public void A_message_with_any_byte_changed_to_any_other()
    {
        var bytes = (byte[])_generated.Clone();
        for (var i = 0; i < bytes.Length; i++)
        {
            for (var value = 0; value < 256; value++)
            {
                bytes[i] = (byte)value;
                Check(bytes);
            }

            bytes[i] = _generated[i];
        }
    }

    [Fact]
    public void Any_bytes_at_all() =>
        Prop.ForAll<byte[]>(bytes => Check(bytes)).Check(Config.QuickThrowOnFailure.WithMaxTest(Cases.Of(5_000)));

    [Fact]
    public void Any_sequence_of_fields()
    {
        var random = new Random(20_240_501);
        int[] numbers = [1, 3, 4, 9, 10, 12, 22, 23, 97, 98, 99];
        for (var round = 0; round < 20_000; round++)
        {
            var bytes = new List<byte>();
            for (var count = random.Next(6); count > 0; count--)
            {
                var number = numbers[random.Next(numbers.Length)];
                bytes.AddRange((random.Next(6), number) switch
                {
                    (0, _) => [.. Wire.Tag(number, 5), .. Some(random, 4)],
                    (1, _) => [.. Wire.Tag(number, 3), .. Wire.Number(1, 1), .. Wire.Tag(number, 4)],
                    (_, 9 or 97 or 99) => Wire.Number(number, (ulong)random.NextInt64() >> random.Next(63)),
                    _ => Wire.Bytes(number, Some(random, random.Next(4))),
                });
            }

            Check(bytes.ToArray());
        }
    }

    [Fact]
    public void Whole_messages_cut_off()
    {
        var messages = Observations.AtHand().Select(one => one.Bytes).ToList();
        var smallest = messages.MinBy(message => message.Length)!;
        foreach (var message in messages)
        {
            byte[] response = [.. Wire.Bytes(10, message), .. Wire.Number(97, 7), .. Wire.Number(99, 3)];
            // At every byte of one message. For the others, at every byte near the ends and at a sample of the rest.
            for (var length = 0; length <= response.Length; length++)
            {
                var nearAnEnd = Math.Min(length, response.Length - length) < 1_000;
                if (message == smallest || nearAnEnd || length % 499 == 0)
                {
                    Check(response, length);
                    Check(message, Math.Min(length, message.Length));
                }
            }
        }

        static void Check(byte[] bytes, int length)
        {
            SliceOrRefuse(bytes.AsSpan(0, length));
            ReadOrRefuse(bytes.AsSpan(0, length));
        }
    }

    private static byte[] Some(Random random, int count)
    {
        var bytes = new byte[count];
        random.NextBytes(bytes);
        return bytes;
    }

    private static void Check(ReadOnlySpan<byte> bytes)
    {
        var slice = SliceOrRefuse(bytes);
        if (slice is { } cut && TryParse(Response.Parser, bytes) is { } response)
        {
            Assert.Equal(response.HasId ? response.Id : null, cut.Id);
            Assert.Equal(response.HasStatus ? response.Status : null, cut.Status);
            Assert.Equal((int)response.ResponseCase, cut.BodyField);
            Assert.Equal(response.Error.Count > 0, cut.HasErrors);
            if (response.Observation is { } body)
            {
                var inner = bytes.Slice(cut.BodyStart, cut.BodyLength);
                Assert.Equal(body, ResponseObservation.Parser.ParseFrom(inner));
                Assert.NotNull(ReadOrRefuse(inner));
            }
        }

        var facts = ReadOrRefuse(bytes);
        if (facts is { } read && TryParse(ResponseObservation.Parser, bytes) is { } observation)
        {
            Assert.Equal(
                new ObservationFacts(
                    observation.Observation?.GameLoop ?? 0,
                    observation.PlayerResult.Count > 0,
                    observation.Observation is not null),
                read);
        }
    }

    private static ResponseSlice? SliceOrRefuse(ReadOnlySpan<byte> bytes)
    {
        try
        {
            var slice = ResponseSlicer.Slice(bytes);
            _ = bytes.Slice(slice.BodyStart, slice.BodyLength);
            return slice;
        }
        catch (MalformedMessageException error)
        {
            Assert.InRange(error.Offset, 0, bytes.Length);
            return null;
        }
    }

    private static ObservationFacts? ReadOrRefuse(ReadOnlySpan<byte> bytes)
    {
        try
        {
            return ObservationFacts.Read(bytes);
        }
        catch (MalformedMessageException error)
        {
            Assert.InRange(error.Offset, 0, bytes.Length);
            return null;
        }
    }

    private static T? TryParse<T>(MessageParser<T> parser, ReadOnlySpan<byte> bytes)
        where T : class, IMessage<T>
    {
        try
        {
            return parser.ParseFrom(bytes);
        }
        catch (InvalidProtocolBufferException)
        {
            return null;
        }
    }
}
