using System.Text;
using FsCheck;
using FsCheck.Fluent;
using Sc2Bridge.Broker.Work;

namespace Sc2Bridge.Broker.Tests.Work;

/// <summary>How jobs are written and parsed.</summary>
public sealed class JobsTests
{
    [Fact]
    public void The_same_job_has_the_same_id_and_another_job_another_one()
    {
        var job = Jobs.WithId(Match(4), "Cinder Fortress LE-4");
        Assert.Equal(job, Jobs.WithId(Match(4), "Cinder Fortress LE-4"));
        Assert.NotEqual(job.Id, Jobs.WithId(Match(5), "Cinder Fortress LE-4").Id);
        Assert.StartsWith("cinder-fortress-le-4-", job.Id, StringComparison.Ordinal);
        Assert.Equal(job, Jobs.ParseJob(Encoding.UTF8.GetBytes(Jobs.ToJson(job))));
    }

    [Fact]
    public void Any_name_makes_an_id_that_is_read() => Check.QuickThrowOnFailure(Prop.ForAll<NonNull<string>>(name =>
    {
        var job = Jobs.WithId(Match(1), name.Get);
        return Jobs.ParseJob(Encoding.UTF8.GetBytes(Jobs.ToJson(job))).Id == job.Id;
    }));

    [Theory]
    [InlineData("")]
    [InlineData("not json")]
    [InlineData("[]")]
    [InlineData("{}")]
    [InlineData("""{"id":"a"}""")]
    [InlineData("""{"match":{}}""")]
    [InlineData("""{"id":"../a","match":{}}""")]
    [InlineData("""{"id":".","match":{}}""")]
    [InlineData("""{"id":"A","match":{}}""")]
    [InlineData("""{"id":"a","match":{},"record":{}}""")]
    [InlineData("""{"id":"a","match":{"seed":-1}}""")]
    public void An_invalid_job_is_refused(string text) =>
        Assert.StartsWith("not a valid job", Assert.Throws<FormatException>(() => Jobs.ParseJob(Encoding.UTF8.GetBytes(text))).Message, StringComparison.Ordinal);

    [Fact]
    public void Bytes_that_were_changed_are_a_job_or_refused()
    {
        var text = Encoding.UTF8.GetBytes(Jobs.ToJson(Jobs.WithId(Match(4), "x")));
        Check.QuickThrowOnFailure(Prop.ForAll<NonNegativeInt, byte, NonNegativeInt>((at, value, cut) =>
        {
            var changed = text[..(text.Length - (cut.Get % 3))];
            changed[at.Get % changed.Length] = value;
            try
            {
                _ = Jobs.ParseJob(changed);
            }
            catch (FormatException)
            {
                // The only documented error.
            }
        }));
    }

    [Theory]
    [InlineData(2, 2)]
    [InlineData(2L, 2)]
    [InlineData(-1L, 0)]
    [InlineData(1L << 40, int.MaxValue)]
    [InlineData("many", 0)]
    public void Any_count_of_failures_is_read(object header, int failures) => Assert.Equal(
        failures,
        WorkQueues.FailureCount(new RabbitMQ.Client.BasicProperties
        {
            Headers = new Dictionary<string, object?> { [WorkQueues.FailuresHeader] = header },
        }));

    private static Job Match(uint seed) =>
        new() { Match = new MatchJob { Map = "Cinder Fortress LE", Seed = seed, Players = { "agent:Zerg" } } };
}
