using System.Text;
using RabbitMQ.Client;

namespace Sc2Bridge.Broker.Work;

/// <summary>A job that failed too often, or a malformed message.</summary>
/// <param name="Id">The id of the job; empty for a malformed message.</param>
/// <param name="Failures">The number of failures of the job.</param>
/// <param name="Reason">The reason of the last failure.</param>
/// <param name="Worker">The worker of the last failure; empty if the broker removed the job from the queue.</param>
public sealed record DeadJob(string Id, long Failures, string Reason, string Worker);

/// <summary>The state of the work queues.</summary>
/// <param name="Waiting">Jobs that no worker is running.</param>
/// <param name="Workers">The number of workers.</param>
/// <param name="Dead">Dead jobs. Jobs with the same id are listed once.</param>
public sealed record WorkStatus(long Waiting, long Workers, IReadOnlyList<DeadJob> Dead)
{
    // Users do not read a longer list.
    private const int MaxDead = 1000;

    /// <summary>Queries the broker.</summary>
    /// <exception cref="BrokerException">The broker cannot be queried.</exception>
    public static Task<WorkStatus> QueryAsync(BrokerAddress broker, CancellationToken ct)
    {
        ArgumentNullException.ThrowIfNull(broker);
        return broker.RunConnectedAsync("sc2bridge work status", connection => QueryAsync(connection, ct), ct);
    }

    private static async Task<WorkStatus> QueryAsync(IConnection connection, CancellationToken ct)
    {
        await using var channel = await WorkQueues.OpenChannelAsync(connection, ct);
        var jobs = await WorkQueues.DeclareAsync(channel, ct);
        var dead = new Dictionary<string, DeadJob>(StringComparer.Ordinal);

        // The messages are not acknowledged, so they return to the queue when the channel closes.
        for (var remaining = MaxDead; remaining > 0 && await channel.BasicGetAsync(WorkQueues.DeadQueue, autoAck: false, ct) is { } message; remaining--)
        {
            // A malformed message has no id.
            var job = Read(message.BasicProperties);
            dead[job.Id.Length > 0 ? job.Id : $" {message.DeliveryTag}"] = job;
        }

        return new WorkStatus(jobs.MessageCount, jobs.ConsumerCount, [.. dead.Values.OrderBy(job => job.Id, StringComparer.Ordinal)]);
    }

    private static DeadJob Read(IReadOnlyBasicProperties properties)
    {
        return new DeadJob(
            properties.MessageId ?? "",
            WorkQueues.FailureCount(properties),
            // The broker gives the reason "delivery_limit" if it removed a job that no worker acknowledged.
            Text("x-first-death-reason") == "delivery_limit"
                ? $"{WorkQueues.MaxRedeliveries} workers that took the job crashed, were stopped or lost the connection before the job was done"
                : Text(WorkQueues.ReasonHeader),
            Text("x-first-death-reason").Length > 0 ? "" : Text(WorkQueues.WorkerHeader));

        string Text(string name) =>
            properties.Headers?.TryGetValue(name, out var value) == true && value is byte[] text ? Encoding.UTF8.GetString(text) : "";
    }
}
