using System.Globalization;
using System.Text;
using FsCheck;
using FsCheck.Fluent;

namespace Sc2Bridge.Encodings.Tests.Json;

/// <summary>The JSON reader compared with the library's, on messages of every type of both contracts.</summary>
public sealed class JsonReaderPropertyTests
{
    private static readonly JsonFormatter ByContract =
        new(JsonFormatter.Settings.Default.WithPreserveProtoFieldNames(true).WithIndentation());

    public static TheoryData<string> Types => [.. Contracts.Messages.Select(message => message.FullName)];

    [Theory]
    [MemberData(nameof(Types))]
    public void The_librarys_and_the_bridges_output_are_read_as_the_same_message(string name)
    {
        var type = Contracts.Messages.Single(message => message.FullName == name);
        Prop.ForAll(ArbMap.Default.ArbFor<int>(), seed =>
        {
            var message = new RandomMessages(seed).Make(type);
            string[] texts =
            [
                JsonFormatter.Default.Format(message),
                ByContract.Format(message),
                Writing.Text(type, message.ToByteArray()),
            ];
            foreach (var text in texts)
            {
                Assert.Equal(message, Reading.Parse(type, text));
            }
        }).QuickCheckThrowOnFailure();
    }

    [Theory]
    [MemberData(nameof(Types))]
    public void A_damaged_text_means_the_same_as_to_the_library_or_is_refused(string name)
    {
        var type = Contracts.Messages.Single(message => message.FullName == name);
        Prop.ForAll(ArbMap.Default.ArbFor<int>(), seed =>
        {
            var text = Encoding.UTF8.GetBytes(JsonFormatter.Default.Format(new RandomMessages(seed).Make(type)));
            var random = new Random(seed);
            for (var round = 0; round < 10; round++)
            {
                Compare(type, Damage.Some(text, random));
            }
        }).QuickCheckThrowOnFailure();
    }

    [Fact]
    public void Decimal_fractions_become_the_nearest_float() => Prop.ForAll(
        ArbMap.Default.ArbFor<int>(), seed =>
        {
            var random = new Random(seed);
            for (var round = 0; round < 500; round++)
            {
                // The exact middle between two floats, and numbers of up to 17 digits.
                var below = BitConverter.Int32BitsToSingle(random.Next(0x3F800000, 0x4B000000));
                var text = random.Next(2) == 0
                    ? random.NextInt64(1L << random.Next(1, 57)).ToString(CultureInfo.InvariantCulture)
                        .Insert(1, ".").TrimEnd('.')
                    : ((below + (double)MathF.BitIncrement(below)) / 2).ToString("R", CultureInfo.InvariantCulture);
                Assert.Equal(
                    float.Parse(text, CultureInfo.InvariantCulture),
                    Reading.Parse<SC2APIProtocol.Point2D>($$"""{"x": {{text}}}""").X);
            }
        }).QuickCheckThrowOnFailure();

    private static void Compare(MessageDescriptor type, byte[] damaged)
    {
        var (theirs, refusal) = Library(type, damaged);
        IMessage ours;
        try
        {
            ours = type.Parser.ParseFrom(Reading.Wire(type, damaged));
        }
        catch (EncodingException stricter)
        {
            Assert.True(
                theirs is null || Stricter(stricter.Message), $"{stricter.Message}\n{Encoding.UTF8.GetString(damaged)}");
            return;
        }

        if (theirs is null)
        {
            Assert.True(MoreExact(refusal!), $"{refusal}\n{Encoding.UTF8.GetString(damaged)}");
        }
        else
        {
            Assert.True(theirs.Equals(ours), Encoding.UTF8.GetString(damaged));
        }
    }

    private static (IMessage? Message, string? Refusal) Library(MessageDescriptor type, byte[] damaged)
    {
        try
        {
            return (JsonParser.Default.Parse(new UTF8Encoding(false, true).GetString(damaged), type), null);
        }
        catch (Exception refused) when (refused is InvalidJsonException or InvalidProtocolBufferException
            or DecoderFallbackException or InvalidOperationException)
        {
            return (null, refused.Message);
        }
    }

    // The library accepts repeated fields (the last one wins), quoted numbers in C#'s form (".5"), and white space in base64.
    private static bool Stricter(string ours) =>
        ours.Contains("is set twice", StringComparison.Ordinal)
        || ours.Contains("is not valid here", StringComparison.Ordinal)
        || ours.Contains("white space", StringComparison.Ordinal);

    // The library reads 64-bit numbers as doubles, and accepts only one alphabet of base64, with padding.
    private static bool MoreExact(string theirs) =>
        theirs.Contains("out of range", StringComparison.Ordinal)
        || theirs.Contains("base64", StringComparison.OrdinalIgnoreCase);
}
