using System.Globalization;
using RabbitMQ.Client;

namespace Sc2Bridge.Broker.Work;

/// <summary>
/// The two queues of work, both replicated (quorum queues): jobs that wait or are in hand, and those that were given up.
/// </summary>
internal static class WorkQueues
{
    internal const string Jobs = "sc2bridge.work";

    /// <summary>Jobs that were given up, each with its reason.</summary>
    internal const string Dead = "sc2bridge.work.dead";

    /// <summary>A job is given up when it fails for this time.</summary>
    internal const int MostFailures = 3;

    /// <summary>
    /// How often the broker hands a job out again that nobody answered for: one that kills who works on it. Workers that
    /// are stopped, cut off or killed count too, so it is more than any job that is sound will see; RabbitMQ 4 has the same.
    /// </summary>
    internal const int MostReturns = 20;

    /// <summary>How often it failed.</summary>
    internal const string FailuresHeader = "failures";

    /// <summary>Why, the last time.</summary>
    internal const string ReasonHeader = "reason";

    /// <summary>Who said so.</summary>
    internal const string WorkerHeader = "worker";

    /// <summary>Makes both queues if they are missing.</summary>
    /// <returns>What the broker says of the jobs.</returns>
    internal static async Task<QueueDeclareOk> DeclareAsync(IChannel channel, CancellationToken ct)
    {
        // A reader of the dead jobs takes and returns them, which must not end them (rabbitmq.com/docs/quorum-queues,
        // "Poison Message Handling").
        await channel.QueueDeclareAsync(
            Dead, durable: true, exclusive: false, autoDelete: false, Quorum(int.MaxValue), cancellationToken: ct);

        // At-least-once dead-lettering needs publishers to be refused at a bound, and there is no bound ("Dead
        // Lettering", the same page).
        var arguments = Quorum(MostReturns);
        arguments["x-dead-letter-exchange"] = "";
        arguments["x-dead-letter-routing-key"] = Dead;
        arguments["x-dead-letter-strategy"] = "at-least-once";
        arguments["x-overflow"] = "reject-publish";
        return await channel.QueueDeclareAsync(
            Jobs, durable: true, exclusive: false, autoDelete: false, arguments, cancellationToken: ct);
    }

    /// <summary>Publishes a job; returns when the broker has it on most of its disks.</summary>
    internal static async Task PublishAsync(
        IChannel channel, string queue, string? id, ReadOnlyMemory<byte> job, IDictionary<string, object?>? headers,
        CancellationToken ct)
    {
        var properties = new BasicProperties
        {
            MessageId = id,
            AppId = "sc2bridge",
            Type = "job",
            ContentType = "application/json",
            DeliveryMode = DeliveryModes.Persistent,
            Headers = headers,
        };
        await channel.BasicPublishAsync("", queue, mandatory: true, properties, job, ct);
    }

    /// <summary>Opens a channel on which publishing waits for the broker's word.</summary>
    internal static Task<IChannel> OpenAsync(IConnection connection, CancellationToken ct) =>
        connection.CreateChannelAsync(
            new CreateChannelOptions(publisherConfirmationsEnabled: true, publisherConfirmationTrackingEnabled: true), ct);

    /// <summary>How often a job has failed.</summary>
    internal static int Failures(IReadOnlyBasicProperties properties) =>
        properties.Headers?.TryGetValue(FailuresHeader, out var value) == true && value is int or long
            ? (int)Math.Clamp(Convert.ToInt64(value, CultureInfo.InvariantCulture), 0, int.MaxValue)
            : 0;

    private static Dictionary<string, object?> Quorum(int returns) => new()
    {
        ["x-queue-type"] = "quorum",
        ["x-delivery-limit"] = returns,
    };
}
