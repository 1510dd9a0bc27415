using Sc2Bridge.Encodings.Payloads;

namespace Sc2Bridge.Encodings.Tests.Payloads;

/// <summary>The fields of a frame's envelope that belong to one subscriber, in every encoding.</summary>
public sealed class OwnFieldsTests
{
    public static TheoryData<MessageForm, Compression, Content> Ways { get; } = new(
        from form in Enum.GetValues<MessageForm>()
        from compression in new[] { Compression.None, Compression.Zstd, Compression.GroupZstd }
        from content in new[] { Content.Observation, Content.Columns }
        select (form, compression, content));

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task Results_and_what_was_missed_stand_before_the_very_payload_of_the_others(
        MessageForm form, Compression compression, Content content)
    {
        using var match = new CompressedMatch();
        using var other = match.Listen(form, Policy.Every, compression, content: content);
        using var agent = match.Listen(form, Policy.Latest, compression, content: content);
        await PublishAsync(0);
        var first = await agent.NextAsync(Ct);
        Assert.Empty(first!.Value.Frame.Outcomes);

        // A client that only watches gets a refusal.
        agent.Act(new Actions { RequestId = 7 });
        agent.Act(new Actions { RequestId = 8, Actions_ = { new SC2APIProtocol.Action() } });
        await PublishAsync(1);
        var theirs = await PublishAsync(2);
        var (frame, payload) = (await agent.NextAsync(Ct))!.Value;
        Assert.Equal((2ul, 1ul, content), (frame.Step, frame.Skipped.Frames, frame.Content));
        Assert.Equal([(7u, 9u), (8u, 9u)], frame.Outcomes.Select(result => (result.RequestId, result.Error.Code)));
        Assert.Equal(theirs, payload);

        agent.Act(new Actions { RequestId = 9 });
        theirs = await PublishAsync(3);
        (frame, payload) = (await agent.NextAsync(Ct))!.Value;
        Assert.Equal((3ul, null, 9u), (frame.Step, frame.Skipped, frame.Outcomes.Single().RequestId));
        Assert.Equal(theirs, payload);

        async Task<byte[]> PublishAsync(ulong step)
        {
            await match.PublishAsync(step);
            return (await other.NextAsync(Ct))!.Value.Content;
        }
    }
}
