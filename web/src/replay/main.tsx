import { render } from 'preact';
import 'uplot/dist/uPlot.min.css';
import '../ui/style.css';
import './replay.css';
import { followSystemTheme } from '../studio/settings';
import { ReplayApp } from './app';
import { Replay } from './data';

followSystemTheme();
const app = document.getElementById('app')!;
const data = document.getElementById('voxelastic-replay');
if (!data?.textContent) app.textContent = 'This page holds no replay. “voxelastic run SCENE -o FOLDER” writes one.';
else
  Replay.read(data.textContent).then(
    (replay) => {
      data.remove();
      document.title = `${replay.json.name || 'replay'} – Voxelastic`;
      app.textContent = '';
      render(<ReplayApp replay={replay} />, app);
      Object.assign(window, { voxelasticReplay: replay });
    },
    (error: Error) => {
      app.textContent = error.message;
    },
  );
