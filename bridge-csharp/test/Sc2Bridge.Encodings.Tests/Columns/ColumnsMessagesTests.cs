using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Encodings.Tests.Payloads;

namespace Sc2Bridge.Encodings.Tests.Columns;

/// <summary>Columns over each transport and compression.</summary>
public sealed class ColumnsMessagesTests
{
    public static TheoryData<MessageForm, Compression> Ways { get; } = new(
        from form in Enum.GetValues<MessageForm>()
        from compression in Enum.GetValues<Compression>()
        select (form, compression));

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task Each_frame_comes_as_columns(MessageForm form, Compression compression)
    {
        using var match = new CompressedMatch();
        using (var listener = Listen(match, form, Policy.Every, compression))
        {
            for (var step = 0ul; step < 70; step++)
            {
                await match.PublishAsync(step);
                await CheckNextAsync(listener, form, step, CompressedMatch.Observation(step));
            }
        }

        match.AssertAllReleased();
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task A_subscriber_that_skips_frames_gets_their_events(MessageForm form, Compression compression)
    {
        using var match = new CompressedMatch();
        using var latest = Listen(match, form, Policy.Latest, compression);
        for (var step = 0ul; step < 6; step++)
        {
            await match.PublishAsync(step);
        }

        var frame = await CheckNextAsync(latest, form, 5, CompressedMatch.Observation(5));
        Assert.Equal(5ul, frame.Skipped.Frames);
        Assert.Equal(["step 0", "step 3"], frame.Skipped.Chat.Select(chat => chat.Message));
    }

    [Fact]
    public async Task Excluded_parts_are_missing_in_the_rest_and_excluding_raw_removes_the_units()
    {
        using var match = new CompressedMatch();
        using var less = Listen(match, MessageForm.Proto, Policy.Every, Compression.None, Part.Score);
        using var none = Listen(match, MessageForm.Json, Policy.Every, Compression.None, Part.Raw);
        await match.PublishAsync(3);
        var (frame, _) = (await less.NextAsync(Ct))!.Value;
        Assert.Null(frame.Columns.Rest.Observation.Score);
        Assert.Equal(3u, frame.Columns.Rest.Observation.GameLoop);
        Assert.Equal(40u, frame.Columns.Count);
        (frame, _) = (await none.NextAsync(Ct))!.Value;
        Assert.Equal(0u, frame.Columns.Count);
        Assert.Null(frame.Columns.Rest.Observation.RawData);
        Assert.NotNull(frame.Columns.Rest.Observation.Score);
    }

    [Fact]
    public async Task Listeners_of_the_same_share_the_very_bytes()
    {
        using var match = new CompressedMatch();
        using var one = Listen(match, MessageForm.Proto, Policy.Every, Compression.None);
        using var other = Listen(match, MessageForm.Proto, Policy.Every, Compression.None);
        await match.PublishAsync(0);
        await one.NextAsync(Ct);
        await other.NextAsync(Ct);
        Assert.Equal(one.Message, other.Message);
    }

    [Fact]
    public async Task An_invalid_observation_is_the_documented_error()
    {
        using var match = new CompressedMatch();
        using var listener = Listen(match, MessageForm.Proto, Policy.Every, Compression.None);
        await match.PublishAsync(0, observation: [0x1A, 0x7F]);
        await Assert.ThrowsAsync<EncodingException>(async () => await listener.NextAsync(Ct));
    }

    private static Listener Listen(
        CompressedMatch match, MessageForm form, Policy policy, Compression compression, params Part[] leaveOut) => new(
        match.Hub,
        match.Shared,
        form,
        new() { Policy = policy, Content = Content.Columns, Compression = compression, Exclude = { leaveOut } });

    private static async Task<V1.Frame> CheckNextAsync(
        Listener listener, MessageForm form, ulong step, byte[] observation)
    {
        var (frame, content) = (await listener.NextAsync(Ct))!.Value;
        Assert.Equal((step, Content.Columns), (frame.Step, frame.Content));
        var columns = frame.PayloadCase == V1.Frame.PayloadOneofCase.Columns ? frame.Columns
            : form == MessageForm.Json
                ? JsonParser.Default.Parse<V1.Columns>(System.Text.Encoding.UTF8.GetString(content))
                : V1.Columns.Parser.ParseFrom(content);
        Assert.Equal(PlainColumns.Of(observation), columns);
        return frame;
    }
}
