using RabbitMQ.Client;
using Sc2Bridge.V1Alpha1;

namespace Sc2Bridge.Broker.Work;

/// <summary>Submits jobs.</summary>
public static class WorkSubmitter
{
    // The number of jobs that are confirmed together, because each confirmation costs the broker a disk write.
    private const int ChunkSize = 256;

    /// <summary>Submits jobs. Returns when the broker has confirmed all of them.</summary>
    /// <param name="broker">The broker.</param>
    /// <param name="jobs">The jobs.</param>
    /// <param name="ct">Cancels the submission.</param>
    /// <param name="onBegun">Called after the broker has answered and before the first job is sent.</param>
    /// <exception cref="BrokerException">The broker cannot be reached, or did not confirm all jobs.</exception>
    public static Task SubmitAsync(BrokerAddress broker, IEnumerable<Job> jobs, CancellationToken ct, Action? onBegun = null)
    {
        ArgumentNullException.ThrowIfNull(broker);
        ArgumentNullException.ThrowIfNull(jobs);
        return broker.RunConnectedAsync(
            "sc2bridge work submit",
            async connection =>
            {
                await using var channel = await WorkQueues.OpenChannelAsync(connection, ct);
                await WorkQueues.DeclareAsync(channel, ct);
                onBegun?.Invoke();
                foreach (var chunk in jobs.Chunk(ChunkSize))
                {
                    await Task.WhenAll(chunk.Select(job => WorkQueues.PublishAsync(
                        channel, WorkQueues.JobQueue, job.Id, System.Text.Encoding.UTF8.GetBytes(Jobs.ToJson(job)), headers: null, ct)));
                }

                return true;
            },
            ct);
    }
}
