using System.Globalization;
using RabbitMQ.Client;

namespace Sc2Bridge.Broker.Work;

/// <summary>
/// The two quorum queues for work. One has the open jobs, including running jobs. The other has the jobs that failed too often.
/// </summary>
internal static class WorkQueues
{
    internal const string JobQueue = "sc2bridge.work";

    /// <summary>Jobs that failed too often, each with its reason.</summary>
    internal const string DeadQueue = "sc2bridge.work.dead";

    /// <summary>A job is dead after this many failures.</summary>
    internal const int MaxFailures = 3;

    /// <summary>
    /// How often the broker redelivers a job that no worker acknowledged. The limit removes jobs that crash their workers. A
    /// stopped, disconnected or killed worker also causes a redelivery, so the limit is high. RabbitMQ 4 has the same default.
    /// </summary>
    internal const int MaxRedeliveries = 20;

    /// <summary>The header with the number of failures of the job.</summary>
    internal const string FailuresHeader = "failures";

    /// <summary>The header with the reason of the newest failure.</summary>
    internal const string ReasonHeader = "reason";

    /// <summary>The header with the worker of the newest failure.</summary>
    internal const string WorkerHeader = "worker";

    /// <summary>Declares both queues.</summary>
    /// <returns>The broker's counts for the queue of open jobs.</returns>
    internal static async Task<QueueDeclareOk> DeclareAsync(IChannel channel, CancellationToken ct)
    {
        // A status query takes dead jobs and returns them to the queue. The delivery limit must not drop these jobs
        // (rabbitmq.com/docs/quorum-queues, "Poison Message Handling").
        await channel.QueueDeclareAsync(
            DeadQueue, durable: true, exclusive: false, autoDelete: false, QuorumArguments(int.MaxValue), cancellationToken: ct);

        // At-least-once dead-lettering requires the overflow policy reject-publish, although this queue has no length limit ("Dead
        // Lettering", the same page).
        var arguments = QuorumArguments(MaxRedeliveries);
        arguments["x-dead-letter-exchange"] = "";
        arguments["x-dead-letter-routing-key"] = DeadQueue;
        arguments["x-dead-letter-strategy"] = "at-least-once";
        arguments["x-overflow"] = "reject-publish";
        return await channel.QueueDeclareAsync(
            JobQueue, durable: true, exclusive: false, autoDelete: false, arguments, cancellationToken: ct);
    }

    /// <summary>Publishes a job. Returns when the broker has stored the job on a majority of its nodes.</summary>
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

    /// <summary>Opens a channel with publisher confirms: publishing waits for the broker's confirmation.</summary>
    internal static Task<IChannel> OpenChannelAsync(IConnection connection, CancellationToken ct) =>
        connection.CreateChannelAsync(
            new CreateChannelOptions(publisherConfirmationsEnabled: true, publisherConfirmationTrackingEnabled: true), ct);

    internal static int FailureCount(IReadOnlyBasicProperties properties) =>
        properties.Headers?.TryGetValue(FailuresHeader, out var value) == true && value is int or long
            ? (int)Math.Clamp(Convert.ToInt64(value, CultureInfo.InvariantCulture), 0, int.MaxValue)
            : 0;

    private static Dictionary<string, object?> QuorumArguments(int maxRedeliveries) => new()
    {
        ["x-queue-type"] = "quorum",
        ["x-delivery-limit"] = maxRedeliveries,
    };
}
