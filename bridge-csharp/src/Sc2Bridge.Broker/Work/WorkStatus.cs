using System.Text;
using RabbitMQ.Client;

namespace Sc2Bridge.Broker.Work;

/// <summary>A job that was given up.</summary>
/// <param name="Id">Its id, as far as it has one.</param>
/// <param name="Failures">How often it failed.</param>
/// <param name="Reason">Why, the last time.</param>
/// <param name="Worker">Who said so; empty where no worker lived to tell.</param>
public sealed record DeadJob(string Id, long Failures, string Reason, string Worker);

/// <summary>How the work stands at the broker.</summary>
/// <param name="Waiting">Jobs that nobody has in hand.</param>
/// <param name="Workers">Who takes jobs.</param>
/// <param name="Dead">Jobs that were given up, those of one id once.</param>
public sealed record WorkStatus(long Waiting, long Workers, IReadOnlyList<DeadJob> Dead)
{
    // More than a person reads.
    private const int MostDead = 1000;

    /// <summary>Asks the broker.</summary>
    /// <exception cref="BrokerException">It cannot be asked.</exception>
    public static Task<WorkStatus> AskAsync(BrokerAddress broker, CancellationToken ct)
    {
        ArgumentNullException.ThrowIfNull(broker);
        return broker.WithAsync("sc2bridge work status", connection => AskAsync(connection, ct), ct);
    }

    private static async Task<WorkStatus> AskAsync(IConnection connection, CancellationToken ct)
    {
        await using var channel = await WorkQueues.OpenAsync(connection, ct);
        var jobs = await WorkQueues.DeclareAsync(channel, ct);
        var dead = new Dictionary<string, DeadJob>(StringComparer.Ordinal);

        // Taken and not answered for: they go back with the channel.
        for (var left = MostDead; left > 0 && await channel.BasicGetAsync(WorkQueues.Dead, autoAck: false, ct) is { } message; left--)
        {
            // What is no job has no id.
            var job = Read(message.BasicProperties);
            dead[job.Id.Length > 0 ? job.Id : $" {message.DeliveryTag}"] = job;
        }

        return new WorkStatus(jobs.MessageCount, jobs.ConsumerCount, [.. dead.Values.OrderBy(job => job.Id, StringComparer.Ordinal)]);
    }

    private static DeadJob Read(IReadOnlyBasicProperties properties)
    {
        return new DeadJob(
            properties.MessageId ?? "",
            WorkQueues.Failures(properties),
            // By the broker's own hand where nobody answered for it.
            Text("x-first-death-reason") == "delivery_limit"
                ? $"{WorkQueues.MostReturns} times who took it died, was stopped or was cut off before it was done"
                : Text(WorkQueues.ReasonHeader),
            Text("x-first-death-reason").Length > 0 ? "" : Text(WorkQueues.WorkerHeader));

        string Text(string name) =>
            properties.Headers?.TryGetValue(name, out var value) == true && value is byte[] text ? Encoding.UTF8.GetString(text) : "";
    }
}
