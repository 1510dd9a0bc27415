using RabbitMQ.Client;
using Sc2Bridge.V1Alpha1;

namespace Sc2Bridge.Broker.Work;

/// <summary>Hands jobs in.</summary>
public static class WorkSubmitter
{
    // Confirmed together: each costs the broker's disks a round.
    private const int AtOnce = 256;

    /// <summary>Hands them in; returns when the broker has them all.</summary>
    /// <param name="broker">The broker.</param>
    /// <param name="jobs">The jobs.</param>
    /// <param name="ct">Gives up.</param>
    /// <param name="begun">Called when the broker has answered, before the first job.</param>
    /// <exception cref="BrokerException">It has not.</exception>
    public static Task SubmitAsync(BrokerAddress broker, IEnumerable<Job> jobs, CancellationToken ct, Action? begun = null)
    {
        ArgumentNullException.ThrowIfNull(broker);
        ArgumentNullException.ThrowIfNull(jobs);
        return broker.WithAsync(
            "sc2bridge work submit",
            async connection =>
            {
                await using var channel = await WorkQueues.OpenAsync(connection, ct);
                await WorkQueues.DeclareAsync(channel, ct);
                begun?.Invoke();
                foreach (var some in jobs.Chunk(AtOnce))
                {
                    await Task.WhenAll(some.Select(job => WorkQueues.PublishAsync(
                        channel, WorkQueues.Jobs, job.Id, System.Text.Encoding.UTF8.GetBytes(Jobs.Text(job)), headers: null, ct)));
                }

                return true;
            },
            ct);
    }
}
